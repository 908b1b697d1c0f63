"""Layouts: what a file of recorded events means, where no reader knows its format.

A layout is declarative, expressions over JSON, and no code of it is ever run. docs/layouts.md describes it.
"""

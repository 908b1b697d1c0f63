"""Layouts: user-defined descriptions of recorded events in formats that no reader supports.

A layout is declarative: it consists of expressions over JSON, and no code of it is ever run. See docs/layouts.md.
"""

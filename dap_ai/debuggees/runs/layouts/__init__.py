"""Layouts: user-defined descriptions of recorded events in formats that no reader supports.

A layout consists of expressions over JSON. dap_ai never runs code from a layout. docs/layouts.md documents layouts.
"""

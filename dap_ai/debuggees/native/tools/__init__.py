"""A model's tools that only native programs have, and native forms of general tools.

A tool for one kind of program sets `only` and refuses other kinds with a reason. A general tool that works differently
in native programs has a form in `native_forms.py`.
"""

"""Tools that only native programs have, and native forms of other tools.

A tool for one kind of program sets `only`, and refuses the others with a reason; a tool that works differently here has
a form in `native_forms.py`.
"""

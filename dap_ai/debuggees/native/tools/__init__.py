"""Tools that only native programs have, and the forms that other tools take there.

A tool that only one kind of program has says so by `only`, and refuses the others with a reason; one that works in
another way here has a form in `native_forms.py`.
"""

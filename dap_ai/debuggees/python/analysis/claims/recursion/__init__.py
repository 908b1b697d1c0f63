"""Explains a RecursionError: the function that calls itself, its arguments, and what should have ended the calls.

`recursive_calls.py` reads calls from both ends of the stack, `recursion_guards.py` finds what could end the function,
`moves.py` describes how each argument changes, `recursion_verdict.py` draws the conclusion.
"""

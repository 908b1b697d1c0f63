"""Explains what broke the failing line: the exception or assertion, its operands, and the values that prove it.

Uses only facts of the stop, no reruns or ranking. `assertion_demands.py` reads what an assertion requires and describes
how its sides violate it, `exception_messages.py` parses the messages of pytest and unittest, `unraised.py` finds the
call that failed to raise what a test expects, `syntax_errors.py` explains why a module does not compile.
"""

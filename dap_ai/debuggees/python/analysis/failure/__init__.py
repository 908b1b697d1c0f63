"""What broke the failing line: the exception or assertion, its operands, and the values that prove it.

Only facts of the stop: no run again, no ranking. `assertion_demands.py` says what an assertion demands and how its
sides do not
meet it, `exception_messages.py` what pytest and unittest say of them, `unraised.py` which call did not raise what a
test
expects, `syntax_errors.py` why a module does not compile.
"""

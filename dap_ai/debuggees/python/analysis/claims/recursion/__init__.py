"""RecursionErrors: which function calls itself, what its calls pass on, and what should have ended them.

`turns.py` reads calls from both ends of the stack, `guards.py` what could end the function, `moves.py` how each
argument changes, `judging.py` what follows.
"""

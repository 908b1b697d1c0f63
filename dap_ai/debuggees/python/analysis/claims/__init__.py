"""Writes the claims of an answer about a failure (verdict, cause, recursion, advice), and a model's first context.

Each sentence rests on observed values or runs; cited values are read again before they are reported as confirmed.
`excerpts.py` chooses the suspicious lines that a context quotes, at most a quarter of the program.
`shadowed_modules.py` and `partial_answer.py` handle failures without a failing user line or without a readable frame.
"""

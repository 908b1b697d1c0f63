"""Claims about a failure, in sentences: verdict, cause, recursion, advice; and the first context for a model.

Each sentence rests on observed values or runs; cited values are read again before they are reported as confirmed.
`excerpts.py` chooses the lines that a context quotes: the suspicious ones, at most a quarter of the program.
`shadowed_modules.py` and `partial_answer.py` handle failures without a failing user line or without a readable frame.
"""

"""Claims about a failure, in sentences: verdict, cause, recursion, advice; and the first context of a model.

Each sentence rests on values that were read or runs that were made; cited values are read again before they are called
confirmed. `excerpts.py` chooses the lines that a context quotes: the suspicious ones, within a quarter of the program.
`shadowed_modules.py` and `partial_answer.py` answer where there is no failing line of the user's, or no frame was read.
"""

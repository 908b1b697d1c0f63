"""Parts of a question that every kind of debuggee shares: expressions, lines and functions that it names.

`unclear.py` lists what a question names and the program does not have, so that an answer says so instead of guessing.
Answers to questions in plain words belong to the kind (`debuggees/python/analysis/questions`).
"""

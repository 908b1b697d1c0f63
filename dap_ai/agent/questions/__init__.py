"""Parts of a question shared by every kind of debuggee: expressions, lines and functions that it names.

`unclear.py` lists names in a question that the program does not have, so that an answer says so instead of guessing.
Each kind answers questions in plain words itself (`debuggees/python/analysis/questions`).
"""

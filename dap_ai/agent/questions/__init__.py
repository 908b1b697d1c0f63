"""Parses a user's question: finds the expressions, lines and functions that it names. Shared by all debuggee kinds.

`unclear.py` lists names in a question that the program does not have, so that an answer reports them instead of
guessing. Each kind answers questions in plain words itself (`debuggees/python/analysis/questions`).
"""

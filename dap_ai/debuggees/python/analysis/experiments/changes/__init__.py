"""Small changes of source that undo what a person mistypes: candidates only, one family a file.

Whether a candidate is a fix, only a run in a copy tells. `own_text.py` writes it in the user's own text. No candidate
touches a line that has not run.
"""

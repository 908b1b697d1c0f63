"""Small source changes that undo typical mistakes: candidates only, one family per file.

Only a run in a copy decides whether a candidate is a fix. `own_text.py` writes it in the style of the user's text. No
candidate edits a line that has not run.
"""

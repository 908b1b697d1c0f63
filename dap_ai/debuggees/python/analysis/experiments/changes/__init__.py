"""Generates small source changes that undo typical mistakes, one family of changes per file.

The changes are only candidates: a run in a copy decides whether a candidate is a fix. `own_text.py` writes candidates
in the style of the user's text. No candidate edits a line that has not run.
"""

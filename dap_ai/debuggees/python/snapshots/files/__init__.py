"""Keeps files that a copy writes in its memory, instead of on the user's disk.

What a test writes below the temporary folder is kept in the copy's memory, by replacements for functions of `os`
(`private_folder.py`) and for `open` (`private_opening.py`). Anywhere else, a write is refused.
"""

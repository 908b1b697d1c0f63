"""Source files: read, parsed once and indexed by line and name. Lines are 1-based, columns 0-based.

Python is parsed here with `ast`; other kinds of debuggee parse their languages with their own grammar (`parsed.py`).
Nothing here sees a value of the program; each kind analyses what its source means.
"""

"""Source files: read, parsed once, and what stands where in them. Lines are 1-based, columns 0-based.

Python is parsed here, by `ast`; the languages of other kinds of debuggee by their grammar (`parsed.py`). Nothing here
has seen a value of the program; analysis of what source means is the kind's.
"""

"""Edits of the code of a copy: the edited source, compiled, replaces the functions that are loaded.

Only the copy changes: neither the program nor its files do.
"""

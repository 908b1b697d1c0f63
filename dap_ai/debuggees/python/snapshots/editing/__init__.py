"""Edits the code of a copy: the edited source is compiled and replaces the loaded functions.

Only the copy changes, not the program or its files.
"""

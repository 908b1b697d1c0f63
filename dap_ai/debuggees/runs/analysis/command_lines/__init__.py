"""Determines what an agent's shell command does by parsing it, never by running it: programs, files read and written.

The entry point is `shell_effects.read_shell`. Effects that are not certain are left out: no file counts as written on a
guess.
"""

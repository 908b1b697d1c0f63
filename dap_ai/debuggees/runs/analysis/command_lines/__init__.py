"""Determines which programs an agent's shell command runs and which files it reads and writes.

The command is parsed and never run. The entry point is `shell_effects.read_shell`. Uncertain effects are left out: a
file counts as written only if that is certain.
"""

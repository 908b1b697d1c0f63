"""Targets from a command line: a source file that is compiled, a program, a process, a core file.

A `Target` says what the debug adapter is to start or attach to. `prepare_native.py` compiles sources, and says what
makes
answers poor.
"""

"""Targets from a command line: a source file to compile, a program, a process, or a core file.

A `Target` states what the debug adapter should start or attach to. `prepare_native.py` compiles sources and warns about
what limits answers.
"""

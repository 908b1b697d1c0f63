"""Native targets named on a command line: a source file to compile, a program, a process, or a core file.

A `Target` states what the debug adapter should start or attach to. `prepare_native.py` compiles source files and warns
about properties that limit answers.
"""

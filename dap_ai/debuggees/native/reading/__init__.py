"""Readers of a stopped native program, by DAP's `scopes`, `variables` and `hover`: values, memory, threads, locks.

`native_inspector.py` makes one visit, within a budget of requests; each path is requested once.
`native_interpreter.py` evaluates
expression nodes over what was read, with the arithmetic of C and Rust. `adapter_literals.py` and `smart_pointers.py`
know how each
debugger writes strings, optionals and smart pointers. Nothing here calls a function of the program.
"""

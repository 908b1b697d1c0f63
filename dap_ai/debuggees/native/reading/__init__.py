"""Reads a stopped native program by DAP's `scopes`, `variables` and `hover`: values, memory, threads and locks.

`native_inspector.py` answers one query within a budget of requests, and requests each path only once.
`native_interpreter.py` evaluates expression nodes over the values read, with the arithmetic of C and Rust.
`adapter_literals.py` and `smart_pointers.py` parse each debugger's notation of strings, optionals and smart pointers.
No code here calls a function of the program.
"""

"""Source analysis with `ast`: bindings, paths, loops, calls, and the statements that are certain to have run.

Most modules use the source alone. `resolving.py` and the modules on loops also use values of the stopped program.
"""

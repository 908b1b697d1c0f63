"""The static inspector: what runs inside the debuggee. Standard library only, Python 3.8 to 3.14.

Rules that every file of this folder keeps:

1. No code of the program runs. Types come from `type(x)`, parts from C descriptors of exact builtin types; never
   `isinstance`, `==`, `hash`, `in`, `bool`, `len`, `iter` or `repr` of an object whose exact type is not known.
2. Nothing that an object computes is asked for, no iterator is advanced, nothing is cached in an object.
3. Nothing is kept after a visit, and nothing that goes wrong leaves it.
4. Functions of the library are called only where they are C code that injector.py has kept (`os.getcwd`, never
   `os.path.isdir`): one written in Python finds what it needs by names that the program may have replaced.
"""

"""The static inspector, which runs inside the debuggee. Standard library only, Python 3.8 to 3.14.

Rules that every file of this folder follows:

1. No code of the program runs. Types come from `type(x)`, parts from C descriptors of exact builtin types; never
   `isinstance`, `==`, `hash`, `in`, `bool`, `len`, `iter` or `repr` of an object whose exact type is not known.
2. The inspector reads no attribute that an object computes, advances no iterator, and caches nothing in an object.
3. The inspector keeps no object after an inspection, and raises no error into the program.
4. The inspector calls only library functions written in C that injector.py has kept (`os.getcwd`, never
   `os.path.isdir`), because a function written in Python looks up names that the program may have replaced.
"""

"""The static inspector, which runs inside the debuggee. Standard library only, Python 3.8 to 3.14.

Rules that every file of this folder follows:

1. No code of the program runs. Types come from `type(x)`, parts from C descriptors of exact builtin types; never
   `isinstance`, `==`, `hash`, `in`, `bool`, `len`, `iter` or `repr` of an object whose exact type is not known.
2. It reads nothing that an object computes, advances no iterator, and caches nothing in an object.
3. It keeps nothing after an inspection, and no error leaves it.
4. It calls library functions only if they are C code that injector.py has kept (`os.getcwd`, never `os.path.isdir`):
   a function in Python looks up names that the program may have replaced.
"""

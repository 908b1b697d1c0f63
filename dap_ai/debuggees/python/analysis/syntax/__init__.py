"""What source says by itself, over `ast`: bindings, paths, loops, calls, and which statements are certain to have run.

Nothing here has seen a value, but for `resolving.py`, which prefers the live value of a callee to its name.
"""

"""Source analysis over `ast`: bindings, paths, loops, calls, and which statements are certain to have run.

Uses no values, except `resolving.py`, which prefers a callee's live value to its name.
"""

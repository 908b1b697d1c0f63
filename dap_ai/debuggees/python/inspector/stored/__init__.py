"""Describes stored values of a stopped program: scalars, containers, objects, arrays, data frames.

No code of the program runs (see the rules in the parent package). Data frames of pandas are read from their blocks, and
only for the rows to show. `freezing.py` copies data, so that values from before a cleanup are kept.
"""

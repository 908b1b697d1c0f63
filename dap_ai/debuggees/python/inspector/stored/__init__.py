"""Describes what a stopped program has stored: values, frames, containers, arrays, data frames.

None of the program's code runs: see the rules of the parent package. Data frames of pandas are read from their blocks,
only the rows that are shown. `freezing.py` makes copies of data that outlive a cleanup.
"""

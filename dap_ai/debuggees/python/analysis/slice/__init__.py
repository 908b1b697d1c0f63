"""Slices back from a value to what made it: static over source, dynamic over a recorded run. Pure.

`slicing.py` knows source alone; `dynamic_slice.py` goes by the events of a run, which decides where the two differ.
"""

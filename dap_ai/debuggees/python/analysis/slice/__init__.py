"""Slices back from a value to what made it: static over source, dynamic over a recorded run. Pure.

`slicing.py` uses source alone; `dynamic_slice.py` uses the events of a run, and takes precedence where they differ.
"""

"""Traces a value back to the code that made it: static slices of source, dynamic slices of a recorded run.

`slicing.py` uses the source and the stopped program's frames; `dynamic_slice.py` uses the events of a run, and takes
precedence where the two differ. All functions are pure.
"""

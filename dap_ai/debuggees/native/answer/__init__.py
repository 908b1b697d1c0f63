"""The answer about a native stop, and the first context of a model.

It joins what `diagnoses` found with what the program reported itself. At a data breakpoint it says which variable was
written, its values, and the line that wrote it (`hit_data.py`). `agent/case/fitting.py` makes it fit.
"""

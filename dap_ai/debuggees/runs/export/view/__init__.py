"""The data of the run view. The page of `export --to html` and editors show this data.

`view_shape.py` declares the types, and `build_view.py` builds the data from a run. VS Code's view uses the same types.
"""

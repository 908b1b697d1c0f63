"""The data of the run view, shared by the page of `export --to html` and by editors.

`view_shape.py` declares the types, and `build_view.py` builds them from a run. VS Code's view uses the same types.
"""

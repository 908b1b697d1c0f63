"""The view of a run as data: one shape for the page of `export --to html` and for editors.

`view_shape.py` declares it, and `build_view.py` makes it from a run. The view of VS Code reads the same shape.
"""

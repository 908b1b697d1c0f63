"""The view of a run as data: one shape for the page of `export --to html` and for editors.

`shape.py` declares it, and `making.py` makes it from a run. The view of VS Code reads the same shape.
"""

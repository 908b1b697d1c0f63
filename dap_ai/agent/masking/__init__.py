"""Recognition of secrets: by name, by shape, by randomness, or because it is known.

`mask.py` is the one entry: text in, text with placeholders out. The same secret has the same placeholder throughout a
session, so that a model can compare what it cannot read (`placeholders.py`). `secret_files.py` knows files
that may hold secrets by their names. `agent/guard` masks values, frames and requests with it; nothing here knows those.
"""

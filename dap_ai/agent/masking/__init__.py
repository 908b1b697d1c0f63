"""Recognises secrets by name, shape or randomness, or because they are already known.

`mask.py` is the only entry: it replaces each secret in a text by a placeholder. A secret has the same placeholder
throughout a session, so that a model can compare values it cannot read (`placeholders.py`). `secret_files.py`
recognises files that may hold secrets by their names. `agent/guard` uses this package to mask values, frames and
requests; this package does not depend on `agent/guard`.
"""

"""`%load_ext dap_ai`: questions in IPython and Jupyter. Nothing here is imported without it.

Cells have files, which whoever answers reads (`cell_files.py`); the text of an answer names them until it is shown.
IPython's history says which cells ran. Slices follow those cells by `symtable`, and never rerun them
(docs/decisions/0019): `steps`, `effects`, `slices`, `sharing`, `provenance`.
"""

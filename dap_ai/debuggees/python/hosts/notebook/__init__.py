"""`%load_ext dap_ai`: questions in IPython and Jupyter. Nothing here is imported without it.

Cells have files, which whoever answers reads (`cell_files.py`); the text of an answer names them until it is shown.
What ran comes from IPython's history. Slices follow what ran, by `symtable` and never by running it again
(docs/decisions/0019): `steps`, `effects`, `slices`, `sharing`, `provenance`.
"""

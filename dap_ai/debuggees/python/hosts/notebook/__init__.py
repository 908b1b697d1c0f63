"""`%load_ext dap_ai`: questions in IPython and Jupyter. Nothing here is imported before that.

Cells are written to files (`cell_files.py`) for the process that answers; an answer's text names those files until it
is displayed. IPython's history shows which cells ran. Slices follow those cells by `symtable`, and never rerun them
(docs/decisions/0019): `cell_statements`, `in_place_changes`, `slices`, `object_aliases`, `provenance`.
"""

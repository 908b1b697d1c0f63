"""The IPython and Jupyter extension `%load_ext dap_ai`, which answers questions about cells.

Nothing here is imported before the extension is loaded. Cells are written to files (`cell_files.py`) for the answering
process; an answer's text names those files until it is displayed. IPython's history shows which cells ran. Slices trace
names through cells with `symtable`, without rerunning the cells (docs/decisions/0019): `cell_statements`,
`in_place_changes`, `slices`, `object_aliases`, `provenance`.
"""

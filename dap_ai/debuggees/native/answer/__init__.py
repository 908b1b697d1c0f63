"""The offline answer about a native stop, and the first context of a model.

It joins the result of `diagnoses` with the program's own report. At a data breakpoint it also states which variable was
written, its values, and the line that wrote it (`hit_data.py`). `agent/case/fitting.py` shortens it to fit.
"""

"""The offline answer about a native stop, and a model's first context.

The answer joins the diagnosis with the report that the program itself printed. At a data breakpoint it also states
which variable was written, its values, and the line that wrote it (`hit_data.py`). `agent/case/fitting.py` shortens the
first context to its budget.
"""

"""Tools that need copies of a Python program: `slice`, `trace`, `history`, `try_fix`.

`kind.py` registers the tools. The tools that run code have the level `compute`; `slice` only reads. `history_text.py`
renders the result of `history`.
"""

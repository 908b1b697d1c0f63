"""Readers of recorded runs: one module per format, registered under the entry-point group `dap_ai.readers`.

A reader recognizes its format (`sniff`) and builds a `Run`. Each event keeps a `Ref`, which locates the bytes that the
event was read from. Readers write no files, execute nothing, and import neither the analysis nor the commands. Shared
code is in `base.py` and `run_builder.py`.

There are two ways to open a large file. `open_run(..., thin=True)` keeps the locations of long texts instead of the
texts, for callers that only display a run (`thin_events.py`). `open_run(..., thin=Portion(2_000_000))` reads only the
beginning of a run (`portion.py`).
"""

"""Readers of recorded runs: one file for each format, found by the entry-point group `dap_ai.readers`.

A reader recognizes its format (`sniff`) and makes a `Run`; each event keeps a `Ref` to its bytes. It writes nothing,
executes nothing, and knows neither analysis nor who looks. `base.py` and `run_builder.py` are what readers share.

Large files: `open_run(..., thin=True)` keeps places instead of texts, for what is looked at and not encoded
(`thin_events.py`); `open_run(..., thin=Portion(2_000_000))` reads how a run begins (`portion.py`).
"""

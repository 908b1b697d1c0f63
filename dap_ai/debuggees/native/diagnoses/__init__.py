"""Diagnoses of native failures: one module per family, tried in order.

`diagnose(draft)` explains the stop and returns True if it belongs to its family; the first match wins. To add a module,
list it in `diagnosing.py`. A diagnosis states values that were read, and uses `analysis` to look for evidence against
its cause.
"""

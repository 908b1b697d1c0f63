"""Diagnoses of native failures, with one module per family of failures. The modules are tried in order.

`diagnose(draft)` explains the stop and returns True if the stop belongs to its family; the first match wins. To add a
module, list it in `diagnosing.py`. A diagnosis states values that were read, and uses `analysis` to look for evidence
against its cause.
"""

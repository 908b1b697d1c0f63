"""Diagnoses of native failures: one module per family, tried one after another.

`diagnose(draft)` says whether the stop is one of its own, and explains it. The first family that knows the stop answers
(`diagnosing.py`, where a new module gets its line). A diagnosis states values that were read, and looks in `analysis`
for what would refute it.
"""

"""Watches a run in a copy: which lines ran, what values changed, what each test covered, where it raised.

Each observer is a trace function of its own (`watching.py`); all report plain data.
"""

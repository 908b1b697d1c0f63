"""Scans many runs, each read and analysed to one row, in this process, in several, or on a cluster.

Any `concurrent.futures.Executor` works (`scan_work.py`). A run that crashes its process loses only its own row. Rows
are saved as they arrive, so an interrupted scan can resume (`scan_results.py`).
"""

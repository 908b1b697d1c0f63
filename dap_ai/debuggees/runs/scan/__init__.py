"""Scans many runs: reads and analyses each run, and keeps one row per run.

A scan works in one process, in several processes, or on a cluster, with any `concurrent.futures.Executor`
(`scan_work.py`). A run that crashes its process loses only its own row. Rows are saved at once, so that an interrupted
scan can resume (`scan_results.py`).
"""

"""Watches a run in a copy: which lines ran, what values changed, what each test covered, where it raised.

Each observer is a trace function of its own (`run_watcher.py`); all report plain data. A trace may end where the
program is stopped (`arriving.py`, which recognizes the stop by its stack and values), time each line (`timing.py`),
follow an expression (`follower.py`), count lines and end at one, for `stepBack` (`rewinder.py`), or report which lines
run in each test (`line_coverage.py`, by `sys.monitoring` from Python 3.12 on).
"""

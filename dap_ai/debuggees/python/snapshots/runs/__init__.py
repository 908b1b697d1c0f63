"""Watches a run in a copy: which lines ran, what values changed, what each test covered, where it raised.

Each observer has its own trace function (`run_watcher.py`) and reports plain data. `tracing.py` records lines, values
and calls; such a trace may end at the program's stop, which `arriving.py` recognizes by its stack and values.
`timing.py` times each line. `follower.py` follows an expression. `rewinder.py` counts lines and ends at one of them,
for `stepBack`. `line_coverage.py` reports which lines run in each test.
"""

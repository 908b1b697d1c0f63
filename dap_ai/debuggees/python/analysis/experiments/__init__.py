"""Fixes, tried in copies: candidate edits, their scheduler, and what a pass proves.

1. A control run must fail the same way before any edit counts; it starts while the source is still being read.
2. Four copies run at once, within 1.2 s of processor time (ten times that with `thorough`).
3. A fix is verified only if the whole program or test succeeds with it, and only if it changes neither a test nor what
   is asserted nor the data. It is shown only with more evidence than the failed check (`proving.py`).
4. It counts only if the assertion is reached as often as before, and every function on the stack still runs.
5. A fix with which lines no longer run never ranks first (`plausibility.py`), nor does one that skips what failed
   (`evaded_failure.py`). A change that only removes the failure is not tried (`hiding.py`).
"""

"""Tries fixes in copies of the process: generates edits, schedules their runs, and judges what a pass proves.

1. A control run, without edits, must fail as the program did before any edit counts. Control runs start while the
   source is still being read.
2. Four copies run at once, within 1.2 s of processor time (ten times that with `thorough`).
3. A fix is verified only if the whole program or test succeeds with the fix, and only if the fix changes no test, no
   asserted condition and no data. A fix is shown only with more evidence than the failed check (`proving.py`).
4. A pass counts only if the run reaches the assertion as often as before, and still runs every function on the stack.
5. A fix never ranks first if lines no longer run (`plausibility.py`) or the failed operation is skipped
   (`evaded_failure.py`). A change that only removes the failure is not tried (`hiding.py`).
"""

"""Fixes, tried in copies: candidate edits, their scheduler, and what a pass proves.

1. A control run must fail the same way before any edit counts; it begins while the source is still read.
2. Four copies at once, within 1.2 s of a processor (ten times that with `thorough`).
3. Only a fix with which the whole ends well is verified, and only if it changes neither a test nor what is asserted nor
   the data. It is shown only if more speaks for it than the check that failed (`proving.py`).
4. It counts only if the assertion is reached as often as before, and every function on the stack still runs.
5. A fix with which lines no longer run never leads (`plausibility.py`), nor one that skips what failed
(`evaded_failure.py`).
   What only takes the failure away is not tried (`hiding.py`).
"""

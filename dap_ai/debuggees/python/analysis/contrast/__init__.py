"""What runs show by contrast: lines that failing tests run and passing ones don't, and values that stand out. Pure.

`spectrum.py` weighs lines by the tests that ran them; `failure_record.py` says on what the failing value of a recorded
run
depended; `anomalies.py` finds values that differ from their like, and where each was born.
"""

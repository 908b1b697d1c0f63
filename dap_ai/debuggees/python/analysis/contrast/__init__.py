"""Finds evidence by contrast: lines that only failing tests run, and values that stand out.

`spectrum.py` weighs lines by the tests that ran them; `failure_record.py` finds what the failing value of a recorded
run depended on; `anomalies.py` finds values that differ from their peers, and where each value first appeared. All
functions are pure.
"""

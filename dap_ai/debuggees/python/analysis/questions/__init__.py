"""Questions in plain words about a Python program: what they ask for, and the answer from a recorded run.

`question_patterns.py` and `question_parser.py` read the question (pure); the run up to the stop is recorded
(`analysis/record`); then
`origin` goes back from a value, `lines` says why a line ran or did not, `values`, `times`, `stops` and `waiting` answer
the others. `owners.py` finds the frame in which an object is followed. An answer states what that run did, and says
where it could not be recorded.
"""

"""What runs in a program of the user's, whatever it is: hold it where it failed, and ask a process beside it.

Standard library only, Python 3.8 to 3.15 (tests/unit/test_in_process.py).
"""

"""Makes a copy of the debuggee that can change nothing outside itself, by clone, seccomp, Landlock and private memory.

Linux only. Every restriction is in force before the first statement of the program runs in the copy. `trapping.py`
records the calls that the restrictions refuse, and `refused_calls.py` describes them, so that an outcome caused by a
restriction is not attributed to the program.
"""

"""Makes a copy of the debuggee that can change nothing: clone, seccomp, Landlock, private memory.

Linux only. Every restriction is in force before the first statement of the program runs in the copy. `trapping.py`
records what the restrictions refuse, and `refused_calls.py` describes it, so that an outcome which only the
restrictions caused is not attributed to the program.
"""

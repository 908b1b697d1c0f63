"""Makes a copy of the debuggee that can touch nothing: clone, namespaces, seccomp, Landlock, memory that it shares.

Linux only. Every restriction is in force before the first statement of the program runs in the copy. What the locks
refuse is recorded (`trapping.py`) and put into words (`refused_calls.py`), so that an outcome which only the locks
caused
is not taken for the program's.
"""

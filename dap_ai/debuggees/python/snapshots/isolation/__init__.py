"""Makes a copy of the debuggee that can touch nothing: clone, namespaces, seccomp, Landlock, memory that it shares.

Linux only. Every restriction is in force before the first statement of the program runs in the copy.
"""

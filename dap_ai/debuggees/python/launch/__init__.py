"""Targets from a command line: a script, a module, a process, a held failure, a notebook's kernel.

A `Target` says what the debug adapter is to start or attach to, and where the prompt differs. `kernels.py` holds a
kernel at its last error: `hosts/post_mortem` is loaded there under a name of its own, for the time of the answer.
"""

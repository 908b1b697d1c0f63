"""Targets from a command line: a script, a module, a process, a paused failure, a notebook's kernel.

A `Target` defines what the debug adapter launches or attaches to, and how the prompt differs. `kernels.py` pauses a
kernel at its last error: it loads `hosts/post_mortem` there under a private name while the question is answered.
"""

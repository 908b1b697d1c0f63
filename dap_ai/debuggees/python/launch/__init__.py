"""Turns a command line into a debug target: a script, a module, a process, a paused failure or a notebook's kernel.

A target defines what the debug adapter launches or attaches to, and how the prompt behaves. `kernels.py` pauses a
kernel at its last error. For this it loads `hosts/post_mortem` into the kernel under a private name while the question
is answered.
"""

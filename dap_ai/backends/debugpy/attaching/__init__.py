"""Attaches debugpy to a running Python program by injected code.

Python 3.14 and later queues a script (`queued.py`); for earlier versions gdb calls into the process (`injecting.py`). A
script that the program does not run in time is removed (`pending_call.py`), because it would connect to a debugger that
no longer listens.
"""

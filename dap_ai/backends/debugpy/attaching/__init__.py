"""Attaches to a running Python program: injects code, or queues it and removes it again if it is not run.

Python 3.14 and later queues a script (`queued.py`); for earlier versions gdb calls into the process (`injecting.py`). A
script that the program does not run in time is removed (`pending_call.py`), so that it cannot run when nothing listens
any more.
"""

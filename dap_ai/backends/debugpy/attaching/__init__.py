"""Attaching to a Python program that runs: what is put into it, how it is queued, and how it is taken back.

From Python 3.14 on the interpreter queues a script (`queued.py`); before, gdb calls into the process (`injecting.py`).
What the program does not get to in time is taken back (`pending_call.py`), so that nothing runs once nobody listens.
"""

"""A debug adapter inside a process that has failed: its traceback keeps the frames alive.

Standard library only, Python 3.8 to 3.14; nothing here is loaded before a failure is held. The failing thread itself
serves requests, so that expressions run where they would have run, and a snapshot is a copy of that thread.
"""

"""A debug adapter inside a process that has failed: its frames stand still, because their traceback is kept alive.

Standard library only, Python 3.8 to 3.14; nothing here is loaded before something is held. The failing thread itself
serves, so that what is evaluated runs where it would have run, and a snapshot is a copy of that thread.
"""

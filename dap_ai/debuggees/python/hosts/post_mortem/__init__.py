"""A debug adapter inside a process that has failed; the exception's traceback keeps the frames alive.

Standard library only, Python 3.8 to 3.14; nothing here is loaded before a process is paused at a failure. The failing
thread itself serves requests, so that expressions run in that thread, and a snapshot copies it.
"""

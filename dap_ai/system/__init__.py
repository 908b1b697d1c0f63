"""This process and this machine: Python child processes, programs, threads, time limits, peers, optional packages.

It imports the standard library alone, so that any part of dap_ai may use it, inside a user's process too.
"""

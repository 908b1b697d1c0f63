"""Locked copies of the debuggee, in which an expression runs, a fix is tried, or a call is traced.

A snapshot is a cloned process (docs/decisions/0005); docs/security.md lists its guarantees. This code runs in the
debuggee: standard library only, no import of dap_ai, Python 3.8 and newer.

1. A copy does one job and ends. It ends itself at its deadline, even if the process that asked for it is gone.
2. A copy leaves no lasting changes, and reaches no other process and no network (`isolation/`, `files/`).
3. `SnapshotResult.unknown` explains why a copy's outcome may differ from the program's (`isolation/refused_calls.py`).
4. Secrets are overwritten in a copy whose results a model sees (`blanking.py`).
"""

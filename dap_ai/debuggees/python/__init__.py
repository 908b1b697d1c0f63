"""Everything about Python programs, one kind of debuggee; `kind.py` is the entry point.

inspector/ and snapshots/ run inside the debuggee; injection/ installs and queries this code. hosts/ also runs in the
user's process: `pytest --ask`, notebooks, `post_mortem`. analysis/ turns what they read into claims. answer/ composes
the answer. tools/ adds Python's own tools for models. launch/ turns a command line into a target. commands/ has
subcommands of `dap-ai`.

Code that runs in a user's process imports only the standard library, `dap_ai.system` and its own modules, and supports
Python 3.8.
"""

"""Programs in Python, a kind of debuggee: all that is theirs, behind `kind.py`.

inspector/ and snapshots/ run inside the debuggee; injection/ brings them there and asks them. hosts/ runs in the
user's process, too: `pytest --ask`, notebooks, `post_mortem`. analysis/ makes claims of what they read, answer/ puts an
answer together, tools/ are what a model may call besides the tools of every kind, launch/ turns a command line into a
target, commands/ are subcommands of `dap-ai`.

What runs in a user's process imports the standard library, `dap_ai.system` and itself, and works on Python 3.8.
"""

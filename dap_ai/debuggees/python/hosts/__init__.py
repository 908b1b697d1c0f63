"""Code that runs in the user's program: pauses it where it failed, and asks another process about the failure.

Standard library only, Python 3.8 to 3.15 (tests/unit/test_in_process.py). No other module is loaded before the program
is paused, no socket listens, and no state remains afterwards.

`post_mortem_api.py` has `post_mortem`, `hold`, `breakpoint` and `install`. For callers with an exception, `serving(exc,
keep)` chooses the frames and returns a debug server for them. `asked(server, options)` runs `dap-ai ask` in a separate
process, serves that process from this thread, and returns the process's exit code. `answer_process.py` manages the
process that answers for pytest and notebooks, which is not a child of the program.
"""

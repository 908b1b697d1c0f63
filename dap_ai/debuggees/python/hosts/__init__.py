"""Code in any program of the user's: pauses the program where it failed, and asks another process about it.

Standard library only, Python 3.8 to 3.15 (tests/unit/test_in_process.py). No module is loaded before something is
paused, no socket listens, and no state remains afterwards.

`post_mortem_api.py` has `post_mortem`, `hold`, `breakpoint` and `install`. For callers that hold an exception:
`serving(exc, keep)` chooses the frames and returns the server for them; `asked(server, options)` runs `dap-ai ask` in a
separate process, serves it from this thread, and returns its exit code.
`answer_process.py` manages the process that answers for pytest and notebooks, which is not a child of the program.
"""

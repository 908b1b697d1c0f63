"""Code in a program of the user's, whatever it is: holds the program where it failed, and asks a process beside it.

Standard library only, Python 3.8 to 3.15 (tests/unit/test_in_process.py). Nothing is loaded before something is held,
nothing listens, and nothing is kept afterwards.

`post_mortem_api.py` has `post_mortem`, `hold`, `breakpoint` and `install`. For whoever has an exception in hand:
`serving(exc, keep)` chooses the frames and gives what serves them; `asked(server, options, limit_s=2.0, stdout=file)`
runs `dap-ai ask` in a process of its own, serves it from this thread, and gives its exit code. `answer_process.py`
keeps the
process that answers for pytest and notebooks, which is no child of the program's.
"""

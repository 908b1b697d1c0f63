"""Code shared by the commands of `dap-ai run`: arguments with shell completion, pager, executors, text formatting.

Everything printed from a run passes `protocol/wire/visible.py`, so that no control character reaches the terminal.
"""

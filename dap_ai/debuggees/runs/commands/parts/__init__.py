"""Parts that the commands of `dap-ai run` share: arguments with their completion, the pager, executors, texts.

What is printed of a run has passed `protocol/wire/visible.py`: no control character of a run reaches the terminal.
"""

"""`dap-ai debug`, a prompt: a line becomes a command or a question, and its outcome becomes text.

It stands on the loop, targets, approvals and endings of `running/`, and never asks which kind is debugged: what it
wants to know, a tool of the agent tells (`askTool`), for a guest too. A line that isn't a command is a question.

1. What a line means and what is shown of it is decided without input or output (`spelling`, `parsing`, `breakpoints`,
   `listing`, `answers`); import-linter checks it.
2. One task takes the events, and commands wait for what it has seen (`live_program.py`).
3. The terminal's input belongs to the prompt; the program has a terminal and a session of its own (`screen.py`).
"""

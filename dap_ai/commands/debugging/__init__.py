"""The prompt of `dap-ai debug`: parses each line as a command or a question, and shows the result as text.

It uses the loop, targets, approvals and endings of `running/`, and never checks the kind of debuggee: tools of the
agent provide what it needs (`askTool`), for a guest too. A line that is not a command is a question.

1. Parsing and formatting do no input or output (`command_words`, `line_parser`, `prompt_breakpoints`, `listing`,
   `tool_answers`); import-linter checks it.
2. One task handles the events, and commands wait for the state that it sets (`live_program.py`).
3. The prompt reads from the terminal; the program has its own terminal and session (`screen.py`).
"""

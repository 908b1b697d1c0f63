"""The prompt of `dap-ai debug`: parses each line as a command or a question, and shows the result as text.

It uses the loop, targets, approvals and endings of `running/`, and never checks the kind of debuggee. The agent's tools
provide what it needs (`askTool`), also when it has joined an editor's session. A line that is not a command is a
question.

1. Modules for parsing and formatting do no input or output (`command_words`, `line_parser`, `prompt_breakpoints`,
   `listing`, `tool_answers`); import-linter checks this.
2. One task handles the events, and commands wait for the state that this task sets (`live_program.py`).
3. The prompt reads from the terminal; the program has its own terminal and session (`screen.py`).
"""

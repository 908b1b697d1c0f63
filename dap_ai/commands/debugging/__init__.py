"""`dap-ai debug`: a line of the user's becomes a command or a question, and what came of it becomes text."""

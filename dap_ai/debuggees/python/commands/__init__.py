"""Subcommands of `dap-ai` for Python programs: `pytest`."""

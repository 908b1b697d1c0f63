"""Subcommands of `dap-ai` for Python programs; the only one is `dap-ai pytest`.

`dap-ai pytest` chooses the project's own Python and replaces itself with `python -m pytest -p dap_ai_pytest` of that
Python, in which dap_ai need not be installed.
"""

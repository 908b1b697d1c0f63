"""Subcommands of `dap-ai` for Python programs: `pytest`.

`dap-ai pytest` chooses the project's own Python and becomes `python -m pytest -p dap_ai_pytest` in it. dap_ai is not
installed there.
"""

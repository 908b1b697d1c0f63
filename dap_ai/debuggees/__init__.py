"""The kinds of debuggee, a folder for each with all that is theirs alone; the core reaches them by entry points.

A kind imports the core and never another kind; the core imports no kind. What the core needs of a kind is a contract
that the kind's entry point fulfils: `dap_ai.kinds` (who answers), `dap_ai.backends`, `dap_ai.commands`.
"""

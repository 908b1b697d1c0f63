"""Runs our code in a debuggee, separate from the program's names, in a file that debugpy steps over."""

from __future__ import annotations


def expression_of(text: str) -> str:
    """Return an expression that runs the code; evaluate it without a frameId before the program starts.

    Python 3.8 and later.
    """
    return (
        f"(lambda b: b.exec(b.compile({text!r}, '<frozen dap_ai>', 'exec'), "
        "{'__builtins__': b.__dict__.copy()}))(__import__('builtins'))"
    )

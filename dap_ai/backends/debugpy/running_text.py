"""Makes expressions that run our code in a debuggee, apart from the program's names; debugpy steps over that code."""

from __future__ import annotations


def expression_of(text: str) -> str:
    """Return an expression that runs the code `text`; evaluate it without a frameId before the program starts.

    Works in Python 3.8 and later.
    """
    return (
        f"(lambda b: b.exec(b.compile({text!r}, '<frozen dap_ai>', 'exec'), "
        "{'__builtins__': b.__dict__.copy()}))(__import__('builtins'))"
    )

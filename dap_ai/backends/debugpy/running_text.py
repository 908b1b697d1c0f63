"""How text of ours runs in a debuggee: apart from the program's names, in a file that debugpy steps over."""

from __future__ import annotations


def expression_of(text: str) -> str:
    """Evaluated without a frameId before the program starts, it runs the text; Python 3.8 and newer."""
    return (
        f"(lambda b: b.exec(b.compile({text!r}, '<frozen dap_ai>', 'exec'), "
        "{'__builtins__': b.__dict__.copy()}))(__import__('builtins'))"
    )

"""Prints an uncaught exception's traceback as without a debugger.

debugpy starts the program inside Python's runpy, and an uncaught exception would print their frames first. In a
terminal of ours `sys.excepthook` omits the frames before the program's own. A program that sets its own hook keeps it.
"""

from __future__ import annotations

from dap_ai.backends.debugpy.running_text import expression_of

_HOOK = r"""
import sys

ours = ("<frozen runpy>", "<frozen dap_ai>")

def print_uncaught(kind, value, tb, shown=sys.excepthook):
    first = tb
    while first is not None:
        name = first.tb_frame.f_code.co_filename.replace("\\", "/")
        if "/debugpy/" not in name and not name.endswith("/runpy.py") and name not in ours:
            break
        first = first.tb_next
    if first is None and not issubclass(kind, SyntaxError):  # debugpy itself has failed
        first = tb
    shown(kind, value.with_traceback(first), first)

sys.excepthook = print_uncaught
"""

INSTALL = expression_of(_HOOK)
"""An expression to evaluate without a frameId before the program starts; Python 3.8 to 3.14.

debugpy steps over a file with the name that it uses.
"""

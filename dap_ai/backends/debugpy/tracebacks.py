"""Prints an uncaught exception's traceback as Python prints it without a debugger.

debugpy starts the program inside Python's runpy, whose frames an uncaught exception would print first. In our terminal
`sys.excepthook` omits the frames before the program's own. A program that sets its own hook keeps it.
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
"""An expression that installs the hook; evaluate it without a frameId before the program starts.

Works in Python 3.8 to 3.14. debugpy steps over files with the name that the code is compiled under.
"""

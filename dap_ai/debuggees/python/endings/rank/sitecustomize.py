"""Runs first in a Python child of `subprocess`: reports the exception that ends the child to its parent.

The parent, a program that `dap-ai ask` runs, put this folder at the front of PYTHONPATH (see dead_ranks.py); this file
restores PYTHONPATH and `sys.path`. Python keeps the exception that it prints at the end, so nothing else is changed,
and none of our code runs before the end. The sitecustomize that would have run otherwise runs next. Python 3.8 and
newer; standard library.
"""

import atexit
import builtins
import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader

TYPE_CHECKING = False  # as in `typing`, which costs the child 5 ms
if TYPE_CHECKING:
    from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_INSPECTOR = os.path.join(os.path.dirname(os.path.dirname(_HERE)), "inspector")
_KEY = "DAP_AI_RANK"
__builtins__ = _BUILTINS = dict(vars(builtins))
"""The builtins before the program can replace any."""


def _restore() -> "tuple[int, int]":
    """Restores the environment and the path; returns the pipe's descriptor and the parent's process id."""
    end, parent, before = os.environ.pop(_KEY).split(":", 2)
    if before:
        os.environ["PYTHONPATH"] = before[1:]
    else:
        os.environ.pop("PYTHONPATH", None)
    sys.path[:] = [place for place in sys.path if os.path.abspath(place or ".") != _HERE]
    return int(end), int(parent)


def _watch(end: int, parent: int) -> None:
    if os.getppid() == parent:
        os.set_inheritable(end, False)
        atexit.register(_tell, end, os.getpid(), _report())


def _report() -> "Any":
    """Loads failure_report.send_failure without leaving a module in `sys.modules`."""
    name = "failure_report"
    code: Any = SourceFileLoader(name, os.path.join(_HERE, name + ".py")).get_code(name)
    names: Any = {"__name__": name, "__builtins__": _BUILTINS}
    exec(code, names)  # noqa: S102  our own code
    return names["send_failure"]


def _tell(end: int, pid: int, send_failure: "Any") -> None:
    """Sends the exception that Python printed, at exit."""
    exc = getattr(sys, "last_value", None)
    if exc is None or os.getpid() != pid:
        return
    now = vars(builtins)  # the report's modules call these
    is_plain = all(now.get(name) is x for name, x in _BUILTINS.items())
    send_failure(exc, end, _INSPECTOR if is_plain else "")


def _the_users() -> None:
    """Runs the next sitecustomize on the path; raises the ImportError that Python expects if there is none."""
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        raise ImportError("no sitecustomize", name="sitecustomize")
    import importlib.util

    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if _KEY in os.environ:
    _watch(*_restore())
    _the_users()

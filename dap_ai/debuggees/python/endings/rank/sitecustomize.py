"""Reports the exception that ends a Python child of `subprocess` to the parent; Python imports this file at start-up.

The parent, a program that `dap-ai ask` runs, put this folder at the front of PYTHONPATH (see dead_ranks.py); this file
restores PYTHONPATH and `sys.path`. Python keeps the exception that it prints at the end in `sys.last_value`, so this
file changes nothing else and runs only at start-up and exit. It then runs the sitecustomize that it hides. It uses only
the standard library, on Python 3.8 and newer.
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
"""A copy of the builtins, made before the program can replace any."""


def _restore() -> "tuple[int, int]":
    """Restores PYTHONPATH and `sys.path`; returns the pipe's descriptor and the parent's process id."""
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
    """Loads failure_report.py without adding it to `sys.modules`; returns its `send_failure`."""
    name = "failure_report"
    code: Any = SourceFileLoader(name, os.path.join(_HERE, name + ".py")).get_code(name)
    names: Any = {"__name__": name, "__builtins__": _BUILTINS}
    exec(code, names)  # noqa: S102  our own code
    return names["send_failure"]


def _tell(end: int, pid: int, send_failure: "Any") -> None:
    """At exit, sends the exception that Python printed to the parent."""
    exc = getattr(sys, "last_value", None)
    if exc is None or os.getpid() != pid:
        return
    now = vars(builtins)  # the report's modules call these
    is_plain = all(now.get(name) is x for name, x in _BUILTINS.items())
    send_failure(exc, end, _INSPECTOR if is_plain else "")


def _the_users() -> None:
    """Runs the next sitecustomize on the path. Raises the ImportError that Python expects if no such file exists."""
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

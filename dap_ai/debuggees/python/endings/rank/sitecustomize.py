"""What Python runs first in a child of `subprocess`: the child tells its parent which exception has ended it.

The parent, a program that `dap-ai ask` runs, has put this folder in front of PYTHONPATH (see dead_ranks.py), and this
file puts PYTHONPATH and `sys.path` back as they were. Python keeps the exception that it prints at the end, so nothing
else is changed, and nothing of ours runs before the end. Then the sitecustomize that would have run otherwise. Python
3.8 and newer; standard library.
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
_KEY = "DAP_AI_RANK"
__builtins__ = _BUILTINS = dict(vars(builtins))
"""Before the program replaces one."""


def _restore() -> "tuple[int, int]":
    """The pipe's end and the parent's process id; the environment and the path are again as the program set them."""
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
    """failure_report.send_failure; no module of ours is left in `sys.modules`."""
    name = "failure_report"
    code: Any = SourceFileLoader(name, os.path.join(_HERE, name + ".py")).get_code(name)
    names: Any = {"__name__": name, "__builtins__": _BUILTINS}
    exec(code, names)  # noqa: S102  ours
    return names["send_failure"]


def _tell(end: int, pid: int, send_failure: "Any") -> None:
    """At the exit: what Python has printed."""
    exc = getattr(sys, "last_value", None)
    if exc is None or os.getpid() != pid:
        return
    now = vars(builtins)  # modules that are loaded by the report call these
    is_plain = all(now.get(name) is x for name, x in _BUILTINS.items())
    send_failure(exc, end, os.path.join(os.path.dirname(_HERE), "inject") if is_plain else "")


def _the_users() -> None:
    """Raises what that one raises, as Python would have told it; where there is none, what Python expects then."""
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

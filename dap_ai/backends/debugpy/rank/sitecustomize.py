"""What Python runs first in a child of `subprocess`: the child tells its parent which exception has ended it.

The parent, a program that `dap-ai ask` runs, has put this folder in front of PYTHONPATH (see dead_ranks.py), and this
file puts PYTHONPATH and `sys.path` back as they were. Python keeps the exception that it prints at the end, so nothing
else is changed, and nothing of ours runs before the end. Then the sitecustomize that would have run otherwise. Python
3.8 and newer; standard library.
"""

import atexit
import os
import sys
from importlib.machinery import PathFinder

TYPE_CHECKING = False  # as in `typing`, which costs the child 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_KEY = "DAP_AI_RANK"
_MOST_VALUES, _LONGEST = 6, 60
_PLAIN = (int, float, complex, bool, str, bytes, type(None))
_SIZED = (list, tuple, dict, set, frozenset)


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
        atexit.register(_tell, end, os.getpid())


def _tell(end: int, pid: int) -> None:
    """At the exit: what Python has printed."""
    exc = getattr(sys, "last_value", None)
    if exc is None or os.getpid() != pid:
        return
    try:
        head, rows = f"{type(exc).__name__}: {str(exc)[:300]}", list(_rows(exc.__traceback__))
        for most in (12, 3):
            text = "Traceback (most recent call last):\n"
            text += "".join(f'  File "{file}", line {line}, in {name}\n' for file, line, name in rows[-most:])
            told = f"{pid}\n{text}{head}\n{_values(exc.__traceback__)}\0".encode("utf-8", "replace")
            if len(told) <= 4096:  # more may be mixed with what another child writes
                os.write(end, told)
                return
    except Exception:  # its own traceback matters more
        pass


def _rows(tb: "Any") -> "Iterator[tuple[str, int, str]]":
    while tb is not None:
        yield tb.tb_frame.f_code.co_filename, tb.tb_lineno, tb.tb_frame.f_code.co_name
        tb = tb.tb_next


def _values(tb: "Any") -> str:
    """Of the variables in the failing line: what can be shown without running code of the program."""
    import linecache
    import re

    while tb.tb_next is not None:
        tb = tb.tb_next
    frame = tb.tb_frame
    line = linecache.getline(frame.f_code.co_filename, tb.tb_lineno)
    names = [name for name in dict.fromkeys(re.findall(r"[^\W\d]\w*", line)) if name in frame.f_locals]
    shown = [f"{name} = {_shown(frame.f_locals[name])}" for name in names]
    return ", ".join([each for each in shown if not each.endswith(" = ")][:_MOST_VALUES])


def _shown(value: "Any") -> str:
    if type(value) in _PLAIN:
        text = repr(value)
        return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
    return f"a {type(value).__name__} of {len(value)}" if type(value) in _SIZED else ""


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

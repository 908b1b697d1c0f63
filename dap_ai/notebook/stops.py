"""What is asked about: the exception that a cell ended with, or the namespace after a cell."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from dap_ai import held

if TYPE_CHECKING:
    from dap_ai.backends.debugpy.inject.post_mortem.server import Server

T = TypeVar("T")
_HOSTS = ("IPython", "ipykernel", "ipyflow", "pyccolo")
_HOLD = "dap_ai holds here"


def of_exception(exc: BaseException) -> Server:
    """The frames of cells and of what they call; not those of the shell that runs them."""
    hosts = _folders()
    return held.serving(exc, lambda frame: not frame.f_code.co_filename.startswith(hosts))


def after(path: str, line: int, names: dict[str, Any], ask: Callable[[Server], T]) -> T:
    """What `ask` gives, while a frame stands at a line of a cell's file, with these names as its module's."""
    from dap_ai.backends.debugpy.inject.post_mortem import holding  # noqa: PLC0415  nothing before it is asked for

    got: list[T] = []

    def hold() -> None:
        frame = sys._getframe(1)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  its documented name
        got.append(ask(holding.standing(frame, _only(frame))))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a text is called, which it is not
        code = compile("\n" * (line - 1) + f"{_HOLD!r}()", path, "exec")
    exec(code.replace(co_consts=tuple(hold if c == _HOLD else c for c in code.co_consts)), names)  # noqa: S102
    return got[0]


def _only(wanted: FrameType) -> Callable[[FrameType], bool]:
    return lambda frame: frame is wanted


def _folders() -> tuple[str, ...]:
    """Of the packages that run cells, each with a separator at its end."""
    modules: Sequence[Any] = [sys.modules[name] for name in _HOSTS if name in sys.modules]
    return tuple(os.path.dirname(m.__file__) + os.sep for m in modules if m.__file__)  # noqa: PTH120

"""What a client has evaluated: requests for the injector, and expressions in a frame, as at any prompt."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

import builtins
import os
import types
from typing import Any, Callable, Dict, List, Optional

from ...inspector import captures
from ...inspector.injector import keep
from ...inspector.stored import freezing
from .post_mortem_stack import PostMortemFrame, PostMortemStop

_KEPT = keep()
"""From when something is first held; in a run of tests, from before the first."""
_KEPT["os"].path = os.path  # in a run of tests, not the one that others may replace functions of
_INJECTOR = "__import__('pydevd')."
"""How a request for the injector begins: it stands in debugpy where there is one."""


class Evaluating:
    """Of one stop. The injector is opened by the client's own expression, and is this object's alone."""

    def __init__(self, stop: PostMortemStop) -> None:
        stopped = types.ModuleType("dap_ai_probe.stopped")
        stopped.located, stopped.folder = stop.located, stop.folder  # type: ignore[attr-defined]
        modules = {"stopped": stopped, "captures": captures, "freezing": freezing}
        self._place: Any = types.SimpleNamespace(dap_ai_modules=modules, dap_ai_kept=_KEPT)
        self._brought = frozenset(vars(self._place))
        known: Any = builtins.__import__

        def import_any(name: str, *more: Any, **options: Any) -> Any:
            return self._place if name == "pydevd" else _KEPT.get(name) or known(name, *more, **options)

        self._builtins = dict(vars(builtins), __import__=import_any)

    def at_injector(self, expression: str) -> Optional[str]:
        """The injector's answer; None: the expression is for somebody else, or the injector is not open yet."""
        if not expression.startswith(_INJECTOR):
            return None
        name, _, request = expression[len(_INJECTOR) :].partition(".")
        injector = vars(self._place).get(name)
        if injector is None or not injector.answers(request):
            return None
        replies: List[str] = []
        injector.quietly(request, replies.append)
        return replies[0]

    def close(self) -> None:
        """Ends the copies of this process; a later evaluation makes new ones."""
        for name, injector in list(vars(self._place).items()):
            if name not in self._brought:
                injector.close()

    def opens(self, expression: str) -> bool:
        """Whether this is what opens the injector, or asks one that is not open."""
        return expression.startswith((_INJECTOR, "(lambda b, s, m, p, u: b.exec("))

    def open(self, expression: str) -> Any:
        """Raises whatever it raises."""
        return eval(expression, {"__builtins__": self._builtins})  # noqa: S307  who may connect may debug

    def in_frame(self, expression: str, held: PostMortemFrame, *, statements: bool) -> Any:
        """The value in a frame; with `statements` it may be some, which give None. Raises whatever they raise."""
        frame = held.frame
        names: Dict[str, Any] = frame.f_globals if frame.f_locals is frame.f_globals else dict(frame.f_locals)
        run: Callable[..., Any] = eval
        try:
            code = compile(expression.strip(), "<console>", "eval")
        except SyntaxError:
            if not statements:
                raise
            code, run = compile(expression, "<console>", "exec"), exec
        return run(code, frame.f_globals, names)

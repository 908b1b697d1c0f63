"""Evaluates a client's expressions: requests to the injector (dap_ai's code in the debuggee), and code in a frame."""

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
"""Modules as they were when the first failure was held; in a test run, before the first test."""
_KEPT["os"].path = os.path  # in a test run, not the module in which tests may replace functions
_INJECTOR = "__import__('pydevd')."
"""Prefix of expressions that are requests to the injector, the same as under debugpy."""


class Evaluating:
    """Evaluates expressions at one stop.

    The client's expression opens the injector, which only this object can reach.
    """

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
        """Returns the injector's reply; None if the expression is no request to the injector, or it is not open."""
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
        """Ends the running copies of this process; a later evaluation makes new copies."""
        for name, injector in list(vars(self._place).items()):
            if name not in self._brought:
                injector.close()

    def opens(self, expression: str) -> bool:
        """Whether the expression opens the injector, or is a request while the injector is not open."""
        return expression.startswith((_INJECTOR, "(lambda b, s, m, p, u: b.exec("))

    def open(self, expression: str) -> Any:
        """Evaluates the expression that opens the injector, and returns its result.

        Raises any error of the expression.
        """
        return eval(expression, {"__builtins__": self._builtins})  # noqa: S307  clients that may connect may debug

    def in_frame(self, expression: str, held: PostMortemFrame, *, statements: bool) -> Any:
        """Evaluates an expression in a frame; runs statements, with the result None, if `statements` is set.

        Raises any error.
        """
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

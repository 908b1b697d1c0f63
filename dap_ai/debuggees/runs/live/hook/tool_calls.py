"""Wraps a tool call: announces the call, obeys the verdict, announces the result, and returns the result."""

# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import contextlib
import inspect
import os
from typing import Any

from . import current_agent, gate_messages

_MOST_FRAMES = 30
_OWN = os.path.dirname(os.path.abspath(__file__))


def word(arguments: Any, name: str) -> str:
    """Return the only argument of a call; the user may have edited the arguments to an object or to a text."""
    is_object = isinstance(arguments, dict)
    return str(arguments[name] if is_object else arguments)


def given(args: Any, kwargs: Any, place: Any, name: Any) -> Any:
    """Return a function's argument by its position or name."""
    return args[place] if len(args) > place else kwargs[name]


def unchanged(tool: Any, mine: Any) -> None:
    """Raise ValueError if the user changed a call's tool, because the wrapped function runs only its own tool."""
    if tool != mine:
        raise ValueError("the tool of a call cannot be changed here: edit the model's answer")


class CallShape:
    """Describes how a framework's function takes a call and returns its result; one subclass per framework.

    No method may modify its arguments.
    """

    def read(self, args: Any, kwargs: Any) -> Any:
        """Return (tool, arguments as an object or text, call id); None for a call that isn't announced."""
        raise NotImplementedError

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        """Return (args, kwargs) with an edited tool or arguments. Raises ValueError if the edit is not possible."""
        raise NotImplementedError

    def text(self, result: Any) -> Any:
        """Return (text of a result as the model will see it, status): the status is "ok", "error" or "unknown"."""
        return ("" if result is None else str(result)), "unknown"

    def exit_code(self, result: Any) -> Any:
        """Return the exit code of a call that ran a command; None for other calls."""

    def failure(self, error: Any) -> Any:
        """Return (text, status) of an exception, like `text` for a result."""
        return "%s: %s" % (type(error).__name__, error), "error"

    def made(self, text: Any, result: Any, args: Any, kwargs: Any) -> Any:
        """Return a result with that text. `result` is the tool's result, or None if the tool was not run."""
        return text


class _Call:
    """One call of a wrapped function. `said` holds the announced fields, or None if the call isn't announced."""

    def __init__(self, shape: Any, args: Any, kwargs: Any) -> None:
        self.shape, self.args, self.kwargs = shape, args, kwargs
        self.said: Any = None
        self.result: Any = None
        self.is_answered = False
        try:
            current_agent.hello()
            found = shape.read(args, kwargs)
            if found is not None:
                self.said = _call_fields(*found)
        except Exception as error:
            gate_messages.failed("reading a call", error)

    @property
    def before(self) -> Any:
        """Announcement of the call; None if the call isn't announced."""
        return self.said and dict(self.said, kind="call", frames=_frames())

    def judged(self, verdict: Any) -> Any:
        """Apply the verdict on the call."""
        if self.said is None:
            return
        do = verdict.get("do")
        if do == "stop":
            raise SystemExit(verdict.get("why") or 1)
        self.said = dict(self.said, call_id=verdict.get("call_id") or self.said["call_id"])
        try:
            if do == "answer":
                self.result = self.shape.made(str(verdict.get("text", "")), None, self.args, self.kwargs)
                self.is_answered = True
            elif do == "edit":
                self._edit(verdict)
        except Exception as error:
            gate_messages.once("the call of %s goes on as it was: %s" % (self.said["tool"], error))

    def _edit(self, verdict: Any) -> Any:
        tool = verdict.get("tool", self.said["tool"])
        arguments = verdict.get("arguments", self.said["arguments"])
        self.args, self.kwargs = self.shape.edited(self.args, self.kwargs, tool, arguments)
        self.said = dict(self.said, tool=tool, arguments=arguments)

    @contextlib.contextmanager
    def running(self) -> Any:
        """Attribute agents that begin within the `with` block to this call."""
        token = current_agent.CALL.set(self.said["call_id"] if self.said else "")
        try:
            yield
        finally:
            current_agent.CALL.reset(token)

    def after(self, error: Any = None) -> Any:
        """Return the announcement of the result or the exception; None if the call isn't announced."""
        if self.said is None:
            return None
        try:
            text, status = self.shape.failure(error) if error is not None else self.shape.text(self.result)
            kept = {key: self.said[key] for key in ("agent", "parent", "tool", "call_id")}
            code = self.shape.exit_code(self.result) if error is None else None
            return dict(kept, kind="result", text=text, status=status, **({} if code is None else {"exit_code": code}))
        except Exception as wrong:
            gate_messages.failed("reading a result", wrong)
            return None

    def given(self, verdict: Any) -> Any:
        """Return the result, edited if the verdict requires it."""
        try:
            if verdict.get("do") in ("edit", "answer") and isinstance(verdict.get("text"), str):
                return self.shape.made(verdict["text"], self.result, self.args, self.kwargs)
        except Exception as error:
            gate_messages.once("the result of %s goes on as it was: %s" % (self.said["tool"], error))
        return self.result


def of_call(shape: Any) -> Any:
    """Return a wrapper for a sync or async function that runs tool calls."""

    def wrap(original: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            call = _Call(shape, args, kwargs)
            call.judged(gate_messages.announce(call.before))
            if not call.is_answered:
                try:
                    with call.running():
                        call.result = original(*call.args, **call.kwargs)
                except BaseException as error:
                    gate_messages.announce(call.after(error))
                    raise
            return call.given(gate_messages.announce(call.after()))

        async def run_async(*args: Any, **kwargs: Any) -> Any:
            call = _Call(shape, args, kwargs)
            call.judged(await gate_messages.announce_async(call.before))
            if not call.is_answered:
                try:
                    with call.running():
                        call.result = await original(*call.args, **call.kwargs)
                except Exception as error:
                    await gate_messages.announce_async(call.after(error))
                    raise
            return call.given(await gate_messages.announce_async(call.after()))

        return run_async if inspect.iscoroutinefunction(inspect.unwrap(original)) else run

    return wrap


def _call_fields(tool: Any, arguments: Any, call_id: Any) -> Any:
    name, parent = current_agent.current()
    call_id = call_id or ""
    return {"agent": name, "parent": parent, "tool": tool, "arguments": arguments, "call_id": call_id}


def _frames() -> Any:
    """Return the agent's stack without the hook's frames, innermost first."""
    rows: Any = []
    frame: Any = inspect.currentframe()
    while frame is not None and len(rows) < _MOST_FRAMES:
        code = frame.f_code
        if not code.co_filename.startswith(_OWN):
            rows.append({"name": code.co_name, "path": code.co_filename, "line": frame.f_lineno or 0})
        frame = frame.f_back
    return rows

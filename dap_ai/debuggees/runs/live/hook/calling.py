"""A call of a tool: told before it runs, run as the verdict wants it; its result told, and given on as wanted."""

# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import inspect
import os
from typing import Any

from . import telling, who

_MOST_FRAMES = 30
_OWN = os.path.dirname(os.path.abspath(__file__))


def word(arguments: Any, name: str) -> str:
    """The one argument of a call, which may have been edited as an object or as a text."""
    is_object = isinstance(arguments, dict)
    return str(arguments[name] if is_object else arguments)


class Shape:
    """How a framework's function takes a call and gives its result; each framework has one of its own.

    None of these may change what it is given.
    """

    def read(self, args: Any, kwargs: Any) -> Any:
        """Its (tool, arguments, call id), arguments as an object or a text; None: it is no call that is to be told."""
        raise NotImplementedError

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        """(args, kwargs) for another tool or other arguments. Raises ValueError with words where that cannot be."""
        raise NotImplementedError

    def text(self, result: Any) -> Any:
        """What the model will see of a result, and whether it is "ok", "error" or "unknown"."""
        return ("" if result is None else str(result)), "unknown"

    def exit_code(self, result: Any) -> Any:
        """That of the command which the call was; None: it has none."""

    def failure(self, error: Any) -> Any:
        """The same of an exception."""
        return "%s: %s" % (type(error).__name__, error), "error"

    def made(self, text: Any, result: Any, args: Any, kwargs: Any) -> Any:
        """A result with that text; `result` is what the tool gave, None where it was not run."""
        return text


class _Call:
    def __init__(self, shape: Any, args: Any, kwargs: Any) -> None:
        self.shape, self.args, self.kwargs = shape, args, kwargs
        self.result: Any = None
        self.is_answered = False
        self._said: Any = None
        try:
            who.hello()
            found = shape.read(args, kwargs)
            if found is not None:
                self._said = _said(*found)
        except Exception as error:
            telling.failed("reading a call", error)

    @property
    def before(self) -> Any:
        """What is announced; None: nothing."""
        return self._said and dict(self._said, kind="call", frames=_frames())

    def judged(self, verdict: Any) -> Any:
        """The verdict on the call."""
        do = verdict.get("do")
        if do == "stop":
            raise SystemExit(verdict.get("why") or 1)
        self._said = dict(self._said, call_id=verdict.get("call_id") or self._said["call_id"])
        try:
            if do == "answer":
                self.result = self.shape.made(str(verdict.get("text", "")), None, self.args, self.kwargs)
                self.is_answered = True
            elif do == "edit":
                self._edit(verdict)
        except Exception as error:
            telling.once("the call of %s goes on as it was: %s" % (self._said["tool"], error))

    def _edit(self, verdict: Any) -> Any:
        tool = verdict.get("tool", self._said["tool"])
        arguments = verdict.get("arguments", self._said["arguments"])
        self.args, self.kwargs = self.shape.edited(self.args, self.kwargs, tool, arguments)
        self._said = dict(self._said, tool=tool, arguments=arguments)

    def after(self, result: Any, error: Any = None) -> Any:
        """What is announced of the result; None: nothing."""
        if self._said is None:
            return None
        try:
            text, status = self.shape.failure(error) if error is not None else self.shape.text(result)
            kept = {key: self._said[key] for key in ("agent", "parent", "tool", "call_id")}
            code = self.shape.exit_code(result) if error is None else None
            return dict(kept, kind="result", text=text, status=status, **({} if code is None else {"exit_code": code}))
        except Exception as wrong:
            telling.failed("reading a result", wrong)
            return None

    def given(self, verdict: Any, result: Any) -> Any:
        """The result as it is given on."""
        try:
            if verdict.get("do") in ("edit", "answer") and isinstance(verdict.get("text"), str):
                return self.shape.made(verdict["text"], result, self.args, self.kwargs)
        except Exception as error:
            telling.once("the result of %s goes on as it was: %s" % (self._said["tool"], error))
        return result

    @property
    def id(self) -> Any:
        return self._said["call_id"] if self._said else ""


def of_call(shape: Any) -> Any:
    """What wraps a function, sync or async, that runs calls."""

    def wrap(original: Any) -> Any:
        is_async = inspect.iscoroutinefunction(inspect.unwrap(original))
        return _asynchronous(shape, original) if is_async else _plain(shape, original)

    return wrap


def _plain(shape: Any, original: Any) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        call = _Call(shape, args, kwargs)
        if call.before is not None:
            call.judged(telling.announce(call.before))
        if call.is_answered:
            result = call.result
        else:
            token = who.CALL.set(call.id)
            try:
                result = original(*call.args, **call.kwargs)
            except BaseException as error:
                _tell(call.after(None, error))
                raise
            finally:
                who.CALL.reset(token)
        said = call.after(result)
        return call.given(telling.announce(said), result) if said else result

    return run


def _asynchronous(shape: Any, original: Any) -> Any:
    async def run(*args: Any, **kwargs: Any) -> Any:
        call = _Call(shape, args, kwargs)
        if call.before is not None:
            call.judged(await telling.announce_async(call.before))
        if call.is_answered:
            result = call.result
        else:
            token = who.CALL.set(call.id)
            try:
                result = await original(*call.args, **call.kwargs)
            except Exception as error:
                said = call.after(None, error)
                if said:
                    await telling.announce_async(said)
                raise
            finally:
                who.CALL.reset(token)
        said = call.after(result)
        return call.given(await telling.announce_async(said), result) if said else result

    return run


def _tell(said: Any) -> Any:
    if said:
        telling.announce(said)


def _said(tool: Any, arguments: Any, call_id: Any) -> Any:
    name, parent = who.current()
    call_id = call_id or ""
    return {"agent": name, "parent": parent, "tool": tool, "arguments": arguments, "call_id": call_id}


def _frames() -> Any:
    """The agent's own stack, innermost first."""
    rows: Any = []
    frame: Any = inspect.currentframe()
    while frame is not None and len(rows) < _MOST_FRAMES:
        code = frame.f_code
        if not code.co_filename.startswith(_OWN):
            rows.append({"name": code.co_name, "path": code.co_filename, "line": frame.f_lineno or 0})
        frame = frame.f_back
    return rows

"""Implements the MCP tools: each call returns a masked text.

After a failure the text is a sentence that says what to do.
"""

from __future__ import annotations

import asyncio
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from dap_ai.adapter.io.error_boundary import SessionFailed
from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.brief import brief, clipped
from dap_ai.commands.display.command_output import say
from dap_ai.commands.mcp import mcp_contract
from dap_ai.commands.mcp.mcp_contract import BadCall, McpCall, call_of
from dap_ai.commands.mcp.mcp_session import DebugSession, Tell
from dap_ai.commands.mcp.own_session import OwnSession, StartRequest
from dap_ai.commands.mcp.session_registry import SessionRegistry
from dap_ai.commands.options.command_line import parse_breakpoint
from dap_ai.commands.running.joinable_sessions import NO_SESSION, SessionStatus
from dap_ai.commands.target_kinds import TargetRequest
from dap_ai.protocol.contracts.backend import StartError
from dap_ai.protocol.wire.ask_messages import AskEnded
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.safe import Safe
from dap_ai.protocol.wire.visible import on_one_line, visible
from dap_ai.settings.configuration import Settings
from dap_ai.transport.client import ConnectionClosed

_RUNNERS = frozenset({"pytest", "unittest"})
"""Test runners, which catch the exceptions of tests: without another exception filter nothing would stop."""
_EXPECTED = (BadCall, click.ClickException, StartError, RequestFailed, ConnectionClosed, SessionFailed, OSError)
_NOTE = re.compile(r"\s+\(note: .*", re.DOTALL)
"""Pattern of a note that debugpy adds to the text of a stop."""
_SILENT = "The debugger does not answer. Try again; if it stays so, `sessions` says which one hangs."


class McpResult(NamedTuple):
    """The result of a tool call. `failed`: the text is an error message."""

    text: Safe
    failed: bool = False


class McpTools:
    """The MCP tools of one client.

    `call` may be cancelled at any time; `close` ends all sessions that the tools have started.
    """

    def __init__(self, settings: Settings) -> None:
        self._sessions = SessionRegistry(settings.sockets, settings.level)
        self._masker = Masker(settings.mask)
        self._under_way: set[asyncio.Task[str]] = set()
        self._does: Mapping[type[McpCall], Callable[[Any, Tell], Awaitable[str]]] = {
            mcp_contract.McpAsk: self._ask,
            mcp_contract.McpSessions: self._list,
            mcp_contract.McpStart: self._start,
            mcp_contract.McpLook: self._look,
            mcp_contract.McpEvaluate: self._one_tool,
            mcp_contract.McpTrace: self._one_tool,
            mcp_contract.McpTryFix: self._one_tool,
            mcp_contract.RunOpen: self._run_open,
            mcp_contract.RunAsk: self._run_ask,
            mcp_contract.McpStop: self._stop,
        }

    async def call(self, name: str, arguments: Mapping[str, Any], tell: Tell) -> McpResult:
        """Run a tool in its own task and return its result.

        Cancelling the call does not interrupt the tool's clean-up.
        """
        task = asyncio.get_running_loop().create_task(self._call(name, arguments, tell))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            return self._result(await asyncio.shield(task))
        except asyncio.CancelledError:
            task.cancel()
            raise
        except _EXPECTED as error:
            return self._result(_sentence(error), failed=True)
        except (TimeoutError, asyncio.TimeoutError):
            return self._result(_SILENT, failed=True)
        except Exception as error:  # noqa: BLE001  outermost handler: report the error to the client and continue
            say(self._masker.mask(traceback.format_exc()), err=True)
            return self._result(f"dap_ai itself has failed ({error!r}); its sessions go on.", failed=True)

    async def close(self) -> None:
        """Cancel all calls, and end all sessions that the tools have started."""
        under_way = list(self._under_way)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self._sessions.close()

    def _result(self, text: str, *, failed: bool = False) -> McpResult:
        return McpResult(self._masker.mask(visible(text)), failed)

    async def _call(self, name: str, arguments: Mapping[str, Any], tell: Tell) -> str:
        call = call_of(name, arguments)
        return await self._does[type(call)](call, tell)

    # -- the tools --------------------------------------------------------------------------------------------------

    async def _ask(self, call: mcp_contract.McpAsk, tell: Tell) -> str:
        if call.program and call.session:
            raise BadCall("`program` starts a session, `session` names one: give one of the two.")
        if not call.program:
            if call.more:
                return self._more(await self._sessions.detailed(call.session))
            return await self._answered(await self._sessions.meant(call.session), call.question, call.frame, tell)
        own, session = await self._run(call)
        if not own.askable:
            return await self._not_stopped(own, session)
        return await self._answered(session, call.question, call.frame, tell)

    async def _answered(self, session: DebugSession, question: str, frame: int | None, tell: Tell) -> str:
        answer = await session.ask(question, frame, tell)
        return _joined(self._notes(session), _answer_header(session, answer), brief(answer))

    def _more(self, session: DebugSession) -> str:
        if session.answer is None:
            raise BadCall(f"Nothing was asked about {session.title} yet: ask without `more`.")
        return clipped(session.answer.answer)

    async def _list(self, call: mcp_contract.McpSessions, tell: Tell) -> str:
        del call, tell
        rows = [f"{own.title}: started here, {_why(own)}" for own in self._sessions.listed()]
        rows += map(_row, await self._sessions.user_sessions())
        return "\n".join(rows) or NO_SESSION

    async def _start(self, call: mcp_contract.McpStart, tell: Tell) -> str:
        if not call.program:
            raise BadCall("start: name a `program`.")
        own, session = await self._run(call)
        if not own.stopped:
            return await self._not_stopped(own, session)
        stack = await session.run("stack", {}, tell)
        stopped = f"{session.title} is stopped: {_why(session)}."
        return _joined(self._notes(session), stopped, clipped(stack.answer, 1500))

    async def _look(self, call: mcp_contract.McpLook, tell: Tell) -> str:
        session = await self._sessions.detailed(call.session)
        frame = {} if call.frame is None else {"frame": call.frame}
        if call.expression:
            inside = await session.run("variables", {"expression": call.expression, **frame}, tell)
            return clipped(inside.answer)
        stack = await session.run("stack", {}, tell)
        one = await session.run("frame", frame, tell)
        return _joined(f"{session.title}: {_why(session)}", clipped(stack.answer, 2000), clipped(one.answer, 4000))

    async def _one_tool(
        self, call: mcp_contract.McpEvaluate | mcp_contract.McpTrace | mcp_contract.McpTryFix, tell: Tell
    ) -> str:
        session = await self._sessions.detailed(call.session)
        arguments: dict[str, Any] = msgspec.to_builtins(call)
        arguments.pop("session", None)
        return clipped((await session.run(call.tool, arguments, tell)).answer)

    async def _run_open(self, call: mcp_contract.RunOpen, tell: Tell) -> str:
        session = await self._opened(call.path)
        tree = await session.run("tree", {}, tell)
        return _joined(self._notes(session), f"Opened as {session.title}.", clipped(tree.answer, 3000))

    async def _run_ask(self, call: mcp_contract.RunAsk, tell: Tell) -> str:
        session = await self._opened(call.path) if call.path else await self._sessions.meant(call.session)
        return await self._answered(session, call.question, None, tell)

    async def _stop(self, call: mcp_contract.McpStop, _: Tell) -> str:
        return f"{await self._sessions.end(call.session)} has ended."

    # -- shared by the tools ---------------------------------------------------------------------------------------

    async def _run(self, call: mcp_contract.McpProgramCall) -> tuple[OwnSession, DebugSession]:
        cwd = Path.cwd() / call.cwd
        if not cwd.is_dir():
            raise BadCall(f"There is no folder {cwd}: `cwd` is where the program runs.")
        module = call.program.removeprefix("-m ").strip() if call.program.startswith("-m ") else None
        words = call.args if module else [str(cwd / call.program), *call.args]
        breakpoints = [parse_breakpoint(text, cwd) for text in call.breakpoints]
        runner = (module or Path(call.program).name) in _RUNNERS
        exceptions = call.exceptions or (["uncaught", "userUnhandled"] if runner else [])
        wanted = TargetRequest(words, str(cwd), module=module)
        return await self._sessions.start(StartRequest(wanted, breakpoints, exceptions, call.seconds))

    async def _opened(self, path: str) -> DebugSession:
        wanted = TargetRequest((), str(Path.cwd()), run=str(Path.home() / path[2:]) if path.startswith("~/") else path)
        _, session = await self._sessions.start(StartRequest(wanted))
        return session

    async def _not_stopped(self, own: OwnSession, session: DebugSession) -> str:
        text = _joined(self._notes(session), own.why_not())
        await self._sessions.end(session.name)
        return text

    def _notes(self, session: DebugSession) -> str:
        own = self._sessions.own(session)
        return "\n".join(own.told.notes()) if own else ""


def _sentence(error: Exception) -> str:
    if isinstance(error, RequestFailed):
        return error.user_text
    text = error.format_message() if isinstance(error, click.ClickException) else str(error)
    return text.removeprefix("--run: ")


def _joined(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _answer_header(session: DebugSession, answer: AskEnded) -> str:
    """Return the line above an answer: the session, who answered, and what went wrong with the answer."""
    by = "" if answer.usage.provider == "offline" else f", answered by {answer.usage.model or answer.usage.provider}"
    stale = " The program has gone on meanwhile." if answer.stale else ""
    unfinished = "" if answer.reason == "completed" else f" The answer ended early: {answer.reason}."
    return f"[{session.title}, {_why(session)}{by}]{stale}{unfinished}"


def _why(session: DebugSession) -> str:
    stop = session.stop
    if stop is None:
        return "ended" if session.ended else "running"
    text = str(stop.get("text") or stop.get("description") or stop["reason"])
    return on_one_line(_NOTE.sub("", text))[:120]


def _row(seen: SessionStatus) -> str:
    about = seen.about
    if about is None:
        return f"{seen.id}: {seen.error}"
    where = f" at {seen.place}" if seen.place else ""
    age = f"{max(time.time() - about.started, 0) / 60:.0f} min"
    state = about.state + (f", {about.stop.description or about.stop.reason}{where}" if about.stop else "")
    return f"{about.id} ({about.program}), {about.client or 'an editor'}, {age}: {state}"

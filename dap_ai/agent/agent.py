"""Answers one question after another about a session: reads the stop, lets a provider answer, checks the evidence."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dap_ai.agent.analyst.questions import candidates
from dap_ai.agent.analyst.ranking import analyse
from dap_ai.agent.analyst.trials import demand_again
from dap_ai.agent.context import first_context
from dap_ai.agent.conversation import Conversation, Turn
from dap_ai.agent.providers.base import Provider, load
from dap_ai.agent.source import Sources
from dap_ai.agent.stack import Case, Reader
from dap_ai.agent.tools.base import Bench
from dap_ai.agent.tools.table import called_by, run
from dap_ai.config import Settings
from dap_ai.protocol.ask import Evidence, Level, ToolStep, Usage
from dap_ai.protocol.asking import Answer, Ask, HistoryItem, Stop, ToolCall
from dap_ai.protocol.debugger import Debugger, Sink
from dap_ai.protocol.errors import NotStopped, RequestFailed
from dap_ai.protocol.inspection import Inspection, Query
from dap_ai.protocol.snapshot import SnapshotQuery, SnapshotResult, Statements


class _Watched:
    """A Debugger that reports every read to the sink, with its time, and counts them."""

    def __init__(self, debugger: Debugger, sink: Sink) -> None:
        self._debugger = debugger
        self._sink = sink
        self.calls = 0

    @property
    def stop(self) -> Stop | None:
        return self._debugger.stop

    @property
    def current(self) -> bool:
        return self._debugger.current

    @property
    def can_inspect(self) -> bool:
        return self._debugger.can_inspect

    @property
    def why_no_snapshot(self) -> str:
        return self._debugger.why_no_snapshot

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        began = time.monotonic()
        result = await self._debugger.snapshot(query)
        if query.edits:
            self.calls += 1  # one of many trials: their sum is told, not each
            return result
        what = query.expression or _statements(query.statements)
        self._report("snapshot", f"snapshot {what}", result.error or result.status, began, snapshot=True)
        return result

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        began = time.monotonic()
        body = await self._debugger.request(command, arguments)
        count = next((len(v) for v in body.values() if isinstance(v, list)), 0)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] JSON
        self._report(command, f"{command}", _counted(count, "row"), began)
        return body

    async def inspect(self, query: Query) -> Inspection:
        began = time.monotonic()
        found = await self._debugger.inspect(query)
        expressions = sum(len(frame.expressions) for frame in query.frames)
        bound = sum(len(f.arguments) + len(f.locals) for f in found.frames)
        call = ", ".join(filter(None, [_counted(len(query.frames), "frame"), _counted(expressions, "expression")]))
        self._report("inspect", f"inspect {call}", _counted(bound, "variable"), began)
        return found

    def output_tail(self) -> Sequence[tuple[str, str]]:
        return self._debugger.output_tail()

    def history(self) -> Sequence[HistoryItem]:
        return self._debugger.history()

    def _report(self, name: str, call: str, result: str, began: float, *, snapshot: bool = False) -> None:
        self.calls += 1
        seconds = round(time.monotonic() - began, 4)
        shown = f"{call}{f' -> {result}' if result else ''} ({1000 * seconds:.1f} ms)"
        self._sink.emit("tool", shown, ToolStep(name, call, result, seconds, snapshot))


def _statements(wanted: Statements | None) -> str:
    if wanted is None:
        return "nothing"
    name, last = Path(wanted.file).name, wanted.line + max(0, wanted.source.rstrip().count("\n"))
    if wanted.fresh:
        return f"{name} afresh"
    return f"{name}:{wanted.line}{f'-{last}' if last > wanted.line else ''} again"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}" if count else ""


@dataclass
class _Work:
    """See providers.base.Work."""

    ask: Ask
    case: Case
    debugger: Debugger
    sink: Sink
    reader: Reader
    budget_tokens: int

    async def read(self, expressions: list[str]) -> None:
        if self.case.focus is None:
            return
        try:
            await self.reader.more(self.case, {self.case.focus.frame.id: expressions})
        except NotStopped:
            raise
        except RequestFailed as error:
            self.case.notes.append(f"could not be read: {error.user_text}")

    async def context(self) -> str:
        return await context_of(self.debugger, self.case, self.budget_tokens)


async def context_of(debugger: Debugger, case: Case, budget_tokens: int) -> str:
    """The first context. A failed demand tells of calls that have returned: it is run again, traced, in a snapshot."""
    analysis = analyse(case)
    control = await demand_again(debugger, analysis) if analysis else None
    return first_context(case, analysis, budget_tokens, control)


class Agent:
    """The agent of one session. It holds the session's conversations and its source cache, nothing of the program."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sources = Sources()
        self._conversations: dict[str, Conversation] = {}

    async def answer(self, ask: Ask, debugger: Debugger, sink: Sink) -> Answer:
        """The answer to one ask; its text goes to the sink as it is made. Raises NotStopped if nothing was read."""
        began = time.monotonic()
        conversation = self._conversations.setdefault(ask.conversation_id, Conversation())
        if ask.arguments.context_only:
            text = await self.context(ask, debugger)
            sink.emit("answer", text)
            return Answer(text=text, usage=Usage(provider=self._settings.provider, seconds=time.monotonic() - began))
        provider = load(self._settings.provider)
        if ask.tool is None:
            sink.emit("status", provider.notice)
        stop = debugger.stop
        watched = _Watched(debugger, sink)
        if stop is None:
            answer, spot = _without_stop(ask, debugger, sink, conversation), ""
        else:
            reader = Reader(watched, self._sources, self._level(ask))
            case = await reader.read(stop, candidates(ask.arguments.question))
            case.question = ask.arguments.question
            spot = _spot(case)
            head = conversation.moved_on(stop)
            if head:
                sink.emit("answer", head + "\n\n")
            work = _Work(ask, case, watched, sink, reader, self._settings.budget_tokens)
            call = ask.tool or called_by(ask.arguments.question)
            answer = await _use(call, work) if call else await _provide(provider, work, debugger)
            answer.text = f"{head}\n\n{answer.text}" if head else answer.text
            await self._confirm(answer, reader, debugger, sink, spot)
        answer.usage.tool_calls = watched.calls
        answer.usage.seconds = round(time.monotonic() - began, 4)
        conversation.add(Turn(ask.arguments.question, answer, stop, spot))
        return answer

    async def context(self, ask: Ask, debugger: Debugger) -> str:
        """The first context as Markdown: what a model would be sent. Raises NotStopped."""
        stop = debugger.stop
        if stop is None:
            raise NotStopped("ask", "nothing is stopped: there is no context to show")
        reader = Reader(debugger, self._sources, self._level(ask))
        case = await reader.read(stop)
        return await context_of(debugger, case, self._settings.budget_tokens)

    def _level(self, ask: Ask) -> Level:
        return "observe" if "observe" in (ask.arguments.level, self._settings.level) else "compute"

    async def _confirm(self, answer: Answer, reader: Reader, debugger: Debugger, sink: Sink, spot: str) -> None:
        """Reads the evidence again in the same stop; says so where the program has moved on."""
        wanted = [(e.frame_id, e.expression) for e in answer.evidence]
        try:
            facts = await reader.again(wanted) if wanted and debugger.can_inspect and debugger.current else {}
        except NotStopped:
            facts = {}
        except RequestFailed:
            facts = {}
        for evidence in answer.evidence:
            fact = facts.get((evidence.frame_id, evidence.expression))
            evidence.confirmed = bool(fact and fact.value and fact.value.text == evidence.value)
        if debugger.current:
            _say_confirmed(answer.evidence, answer, sink)
            return
        answer.stale = True
        note = f"This speaks of the stop at {spot}, which is over: the program went on while it was answered."
        answer.text = f"{note}\n\n{answer.text}"
        sink.emit("answer", f"{note}\n")


async def _provide(provider: Provider, work: _Work, debugger: Debugger) -> Answer:
    try:
        return await provider.answer(work)
    except NotStopped:
        work.debugger = debugger
        return await provider.answer(_Frozen(work))


async def _use(call: ToolCall, work: _Work) -> Answer:
    """What one tool gives, as the answer."""
    result = await run(Bench(work.debugger, work.case), call)
    if result.status:
        work.sink.emit("status", result.status)
    text = result.text.rstrip() + "\n"
    work.sink.emit("answer", text)
    usage = Usage(provider="offline")
    return Answer(text=text, suspects=result.suspects, fixes=result.fixes, usage=usage)


class _Frozen:
    """The work of an ask whose stop is over: what was read stands, and nothing more is read."""

    def __init__(self, work: _Work) -> None:
        self.ask, self.case, self.debugger, self.sink = work.ask, work.case, work.debugger, work.sink
        self._work = work

    async def read(self, expressions: list[str]) -> None:
        """Nothing: the stop is over."""

    async def context(self) -> str:
        return await self._work.context()


def _say_confirmed(evidence: list[Evidence], answer: Answer, sink: Sink) -> None:
    open_ones = [e.expression for e in evidence if not e.confirmed]
    if open_ones:
        text = "Not confirmed by a second reading: " + ", ".join(f"`{e}`" for e in open_ones) + "."
        answer.text += f"\n{text}\n"
        sink.emit("answer", text + "\n")


def _spot(case: Case) -> str:
    place = case.focus
    return f"{Path(place.frame.path).name}:{place.frame.line}" if place else "a stop without frames"


def _without_stop(ask: Ask, debugger: Debugger, sink: Sink, conversation: Conversation) -> Answer:
    """An answer from the conversation and the output alone."""
    parts = ["Nothing is stopped now, so no value can be read."]
    turn = conversation.recall(ask.arguments.question)
    if turn:
        parts.append(f"From this conversation, about {turn.spot or 'an earlier stop'}:\n\n{turn.answer.text.strip()}")
    tail = "".join(text for _, text in debugger.output_tail())[-1500:].strip()
    if tail:
        parts.append(f"The end of the program's output:\n\n```text\n{tail}\n```")
    if not turn:
        parts.append(
            "**Recommendation.** Pause the program, or set a breakpoint where the question arises, and ask again."
        )
    for part in parts:
        sink.emit("answer", part + "\n\n")
    return Answer(text="\n\n".join(parts) + "\n", usage=Usage(provider="offline"))

"""Answers one question after another about a session: reads the stop, lets a provider answer, checks the evidence."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dap_ai.agent.analyst.questions import candidates
from dap_ai.agent.analyst.ranking import analyse
from dap_ai.agent.analyst.trials import demand_again
from dap_ai.agent.context import first_context
from dap_ai.agent.conversation import Conversation, Turn
from dap_ai.agent.evidence import confirm
from dap_ai.agent.gate import Gate
from dap_ai.agent.language.pool import Languages
from dap_ai.agent.mask import Masker
from dap_ai.agent.masked import (
    MaskedSink,
    Tally,
    learn_sources,
    learn_text,
    masked_answer,
    masked_error,
    masked_message,
)
from dap_ai.agent.masked_debugger import MaskedDebugger
from dap_ai.agent.policy import Policy
from dap_ai.agent.providers.base import Provider, Retiring
from dap_ai.agent.providers.loading import lent, load_or_say
from dap_ai.agent.providers.one_tool import use
from dap_ai.agent.reader import Reader
from dap_ai.agent.source import Sources
from dap_ai.agent.stack import Case, Place
from dap_ai.agent.tools.base import Bench
from dap_ai.agent.tools.table import called_by
from dap_ai.agent.transcript import Transcript
from dap_ai.agent.values import find
from dap_ai.agent.watched import Watched
from dap_ai.config import Settings, answered_by, provider_of
from dap_ai.protocol.ask import LEVELS, Level, Usage
from dap_ai.protocol.asking import Answer, Ask
from dap_ai.protocol.debugger import Debugger, Sink
from dap_ai.protocol.errors import NotStopped, RequestFailed
from dap_ai.protocol.lending import EDITOR

OFFLINE = "offline"
"""The provider that is no model: what it answers stays with the user."""
_UNSAFE = "WARNING: unsafe: this answer may change the program, and nobody is asked before it does"


@dataclass
class _Work:
    """See providers.base.Work."""

    ask: Ask
    bench: Bench | None
    record: Transcript
    debugger: Watched
    sink: Sink
    conversation: Conversation
    settings: Settings
    reader: Reader
    caught: Case | None = None

    @property
    def case(self) -> Case | None:
        return self.bench.case if self.bench else None

    async def read(self, expressions: list[str]) -> None:
        if self.case is None or self.case.focus is None or not self.debugger.current:
            return
        wanted = {self.case.focus.frame.id: expressions}
        for text in expressions:
            if (owner := _owner(self.case, text)) and owner is not self.case.focus:
                wanted.setdefault(owner.frame.id, []).append(text)
        try:
            await self.reader.more(self.case, wanted)
        except NotStopped:
            raise
        except RequestFailed as error:
            self.case.notes.append(f"could not be read: {error.user_text}")

    async def context(self) -> str:
        return await context_of(self.debugger, self.case, self.settings.budget_tokens) if self.case else ""


def _owner(case: Case, expression: str) -> Place | None:
    """The nearest frame with a variable of the name that the expression begins with."""
    name = re.search(r"\w+", expression)
    return next((place for place in case.callers if name and find(place.facts, name[0])), None)


async def context_of(debugger: Debugger, case: Case, budget_tokens: int) -> str:
    """The first context. A failed demand tells of calls that have returned: it is run again, traced, in a snapshot."""
    if case.inspection.native:
        from dap_ai.agent.native.context import first_context as native_context  # noqa: PLC0415  neither that
        from dap_ai.agent.native.diagnosing import analyse as analyse_native  # noqa: PLC0415  Python does not need it

        return native_context(case, await asyncio.to_thread(analyse_native, case), budget_tokens)
    analysis, control = await asyncio.gather(asyncio.to_thread(analyse, case), demand_again(debugger, case))
    return first_context(case, analysis, budget_tokens, control)


class Agent:
    """The agent of one session. It holds the session's conversations and its source cache, nothing of the program."""

    def __init__(
        self, settings: Settings, environ: Mapping[str, str] = os.environ, masker: Masker | None = None
    ) -> None:
        """`masker`: the session's own, where others need it too. Raises PatternError."""
        self._settings = settings
        self._environ = environ
        self._masker = masker or Masker(settings.mask)
        self._provider: Provider = load_or_say(settings, environ, self._masker)
        self._former: list[Provider] = []
        """Who has answered before another was chosen, and may still be answering."""
        self._sources = Sources()
        self._language = Languages()
        self._conversations: dict[str, Conversation] = {}

    def warm(self) -> None:
        """Does what takes time before the first question; called in a thread."""
        self._provider.warm()

    async def close(self) -> None:
        """Ends what it has started: no process is left. Called once, when no ask runs."""
        await self._language.close()
        for provider in (*self._former, self._provider):
            await provider.close()

    def answer_by(self, settings: Settings, environ: Mapping[str, str]) -> None:
        """From the next question on, whom these settings and this environment name answers; the rest stays as it is.

        Nothing more is sent to a model that they do not name any more, not even for an answer that is being made.
        """
        before, former = self._settings, self._provider
        self._settings, self._environ = answered_by(before, settings), environ
        self._provider = load_or_say(self._settings, environ, self._masker)
        self._former.append(former)
        if self._settings != before and isinstance(former, Retiring):
            former.retire()

    async def answer(self, ask: Ask, debugger: Debugger, sink: Sink) -> Answer:
        """The answer to one ask; its text goes to the sink as it is made. Raises NotStopped if nothing was read.

        All that comes of it is masked, the errors too.
        """
        tally, out = Tally(self._masker), MaskedSink(sink, self._masker)
        provider = self._provider_of(ask, debugger)
        by_model = provider.name != OFFLINE and not called_by(ask.arguments.question)
        hiding = ask.tool is not None or by_model or ask.arguments.context_only
        try:
            answer = await self._answer(ask, MaskedDebugger(debugger, self._masker, hiding=hiding), out, provider)
        except Exception as error:
            safe = masked_error(self._masker, error)
            if safe is error:
                raise
            raise safe from None
        finally:
            out.finish()
        masked_answer(self._masker, answer)
        answer.masked = tally.rows()
        return answer

    async def _answer(self, ask: Ask, debugger: Debugger, sink: Sink, provider: Provider) -> Answer:
        began = time.monotonic()
        conversation = self._conversations.setdefault(ask.conversation_id, Conversation(ask.conversation_id))
        if ask.arguments.earlier is not None and not conversation.turns:
            conversation.bring(ask.arguments.earlier, self._sources)
            learn_text(self._masker, conversation.source)
        stop = debugger.stop
        if ask.arguments.context_only:
            text = await self.context(ask, debugger)
            sink.emit("answer", text)
            return Answer(text=text, usage=Usage(provider=provider.name, seconds=time.monotonic() - began))
        call = ask.tool or called_by(ask.arguments.question)
        if call is None:
            sink.emit("status", provider.notice)
        policy = self._policy(ask)
        if policy.unsafe:
            sink.emit("status", _UNSAFE)
        watched = Watched(debugger, sink)
        reader = Reader(watched, self._sources, self._level(ask))
        case = await reader.read(stop, partial(candidates, ask.arguments.question)) if stop else None
        if case:
            case.question = ask.arguments.question
            learn_sources(self._masker, case.places)
        if call is None and self._masker.mask(ask.arguments.question) != ask.arguments.question:
            sink.emit("status", f"the question holds a secret, and goes on as: {ask.arguments.question}")
        head = conversation.moved_on(stop) if stop else ""
        if head:
            sink.emit("answer", head + "\n\n")
        mask = partial(masked_message, self._masker)
        record = Transcript.of(self._settings.transcripts, conversation.id, ask.ask_id, mask)
        gate = Gate(policy, watched, sink, record.keep)
        bench = Bench(watched, case, language=self._language, gate=gate, mask=self._masker.mask) if case else None
        work = _Work(ask, bench, record, watched, sink, conversation, self._settings, reader)
        if stop is None and (caught := debugger.caught()):
            work.caught = reader.caught(caught)
            learn_sources(self._masker, work.caught.places)
        answer = await use(call, bench, sink) if call and bench else await _provide(provider, work)
        answer.text = f"{head}\n\n{answer.text}" if head else answer.text
        spot = _spot(work.case)
        if work.case:
            await confirm(answer, reader, watched, sink, spot)
        if not answer.usage.model_calls:
            answer.usage.tool_calls = watched.calls
        answer.usage.seconds = round(time.monotonic() - began, 4)
        told = call is None and not answer.error and answer.usage.provider != OFFLINE
        conversation.add(Turn(ask.arguments.question, answer, watched.stop, spot, told))
        return answer

    async def context(self, ask: Ask, debugger: Debugger) -> str:
        """The first context as Markdown: what a model would be sent. Raises NotStopped."""
        stop = debugger.stop
        if stop is None:
            raise NotStopped("ask", "nothing is stopped: there is no context to show")
        reader = Reader(debugger, self._sources, self._level(ask))
        case = await reader.read(stop)
        learn_sources(self._masker, case.places)
        return await context_of(debugger, case, self._settings.budget_tokens)

    def _provider_of(self, ask: Ask, debugger: Debugger) -> Provider:
        """Who answers this question: the client's own model, where it lends one and nothing else is set."""
        if provider_of(self._settings, self._environ, ask.arguments.providers) != EDITOR:
            return self._provider
        return lent(self._settings, ask, debugger, self._masker)

    def _policy(self, ask: Ask) -> Policy:
        level, settings = self._level(ask), self._settings
        return Policy(level, settings.allow, settings.deny, unsafe=settings.unsafe and level == "mutate")

    def _level(self, ask: Ask) -> Level:
        levels: list[Level] = [ask.arguments.level or self._settings.level, self._settings.level]
        return min(levels, key=LEVELS.index)


async def _provide(provider: Provider, work: _Work) -> Answer:
    """What the provider says; once more from what was read, if the stop is over before it is done."""
    try:
        return await provider.answer(work)
    except NotStopped:
        return await provider.answer(work)


def _spot(case: Case | None) -> str:
    if case is None:
        return ""
    place = case.focus
    return f"{Path(place.frame.path).name}:{place.frame.line}" if place else "a stop without frames"

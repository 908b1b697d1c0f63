"""Answers the questions of a debug session: reads the stop, calls a provider, and checks the evidence."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from functools import partial

from dap_ai.agent.case.debuggee_kind import kind_of, kind_of_language
from dap_ai.agent.case.evidence import confirm, spot_of
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.guard.masked import (
    MaskedSink,
    Tally,
    learn_sources,
    learn_text,
    masked_answer,
    masked_message,
    not_answered,
)
from dap_ai.agent.guard.masked_debugger import MaskedDebugger
from dap_ai.agent.guard.policy import Policy
from dap_ai.agent.guard.tool_gate import ToolGate
from dap_ai.agent.guard.watched_debugger import Watched
from dap_ai.agent.language.language_servers import LanguageServers
from dap_ai.agent.loop.conversation import Conversation, Turn
from dap_ai.agent.loop.transcript_file import Transcript
from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.providers.ask_work import TextSink, Work
from dap_ai.agent.providers.base import Provider, Retiring
from dap_ai.agent.providers.loading import lent, load_or_say
from dap_ai.agent.providers.offline import Offline, use
from dap_ai.agent.questions.asked_expressions import candidates
from dap_ai.agent.source.source_file import Sources, is_user_path
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.tool_table import called_by
from dap_ai.protocol.contracts.debugger import Debugger, RawDebugger, SafeSink, Sink, StoppedSession
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer, NotAnswered, SafeAnswer
from dap_ai.protocol.contracts.repeatable_run import NoPast, Recalled, UnrepeatableError
from dap_ai.protocol.wire.ask_messages import LEVELS, Level, Usage
from dap_ai.protocol.wire.errors import NotStopped
from dap_ai.protocol.wire.lent_replies import EDITOR
from dap_ai.protocol.wire.safe import holds_none
from dap_ai.settings.configuration import Settings, answered_by, provider_of
from dap_ai.system import thread_pool

OFFLINE = "offline"
"""Name of the provider that uses no model. Its answers never leave the machine."""
_MAX_AHEAD = 3
"""Maximum files of a failing stack to parse before the first question."""
_UNSAFE = "WARNING: unsafe: this answer may change the program without confirmation"


class SessionAgent:
    """The agent of one debug session. Keeps conversations and parsed source, but no values of the program."""

    def __init__(
        self, settings: Settings, environ: Mapping[str, str] = os.environ, masker: Masker | None = None
    ) -> None:
        """Creates an agent that masks secrets with `masker`, or with a new masker if None. Raises PatternError."""
        self._settings = settings
        self._environ = environ
        self._masker = masker or Masker(settings.mask)
        self._provider: Provider = load_or_say(settings, environ, self._masker)
        self._analyst = Offline()
        """Offline provider, for questions that must not go to a model."""
        self._former: list[Provider] = []
        """Providers that have been replaced but may still be answering."""
        self._sources = Sources()
        self._language = LanguageServers()
        self._conversations: dict[str, Conversation] = {}

    def warm(self) -> None:
        """Prepares the provider before the first question. Called in a thread."""
        self._provider.warm()

    async def look_ahead(self, files: Sequence[str]) -> None:
        """Parses up to 3 of the user's files before the first question. If cancelled, stops after the current file."""
        await asyncio.to_thread(self._parse, [path for path in files if is_user_path(path)][:_MAX_AHEAD])

    def _parse(self, files: Sequence[str]) -> None:
        for path in files:
            thread_pool.check()
            source = self._sources.read(path)
            if source is not None:
                kind_of_language(source.language).prepare(source)

    async def close(self) -> None:
        """Ends every process that the agent has started. Call it once, when no question is being answered."""
        await self._language.close()
        for provider in (*self._former, self._provider):
            await provider.close()

    def answer_by(self, settings: Settings, environ: Mapping[str, str]) -> None:
        """Switches to the provider that these settings name. Takes effect with the next question.

        Other settings stay the same. If the provider changes, the old model receives nothing more, even during an
        answer.
        """
        before, former = self._settings, self._provider
        self._settings, self._environ = answered_by(before, settings), environ
        self._provider = load_or_say(self._settings, environ, self._masker)
        self._former.append(former)
        if self._settings != before and isinstance(former, Retiring):
            former.retire()

    async def answer(self, ask: AcceptedAsk, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
        """Answers one question, sending the text to the sink as it is written.

        Everything that is returned or sent is masked, including errors.
        """
        tally, out = Tally(self._masker), MaskedSink(sink, self._masker)
        provider = self._provider_of(ask, debugger)
        by_model = provider.name != OFFLINE and not called_by(ask.arguments.question)
        hiding = ask.tool is not None or by_model or ask.arguments.context_only or ask.arguments.for_model
        try:
            answer = await self._answer(ask, MaskedDebugger(debugger, self._masker, hiding=hiding), out, provider)
        except Exception as error:  # noqa: BLE001  outer boundary: every error must be masked
            return not_answered(self._masker, error)
        finally:
            out.finish()
        safe = masked_answer(self._masker, answer)
        safe.masked = tally.rows()
        return safe

    async def recall(self, debugger: RawDebugger) -> Recalled | NoPast:
        """Returns how to rerun up to this stop, or why a rerun is impossible.

        The copy hides no secrets: only the user's own client receives its values.
        """
        if debugger.stop is None:
            return NoPast("No step back here: nothing is stopped.")
        masked = MaskedDebugger(debugger, self._masker, hiding=False)
        try:
            case = await StopReader(masked, self._sources, "compute").read(debugger.stop)
            return await kind_of(case).recall(masked, case)
        except UnrepeatableError as why:
            return NoPast(self._masker.mask(f"No step back here: {str(why).rstrip('.')}."))
        except Exception as error:  # noqa: BLE001  outer boundary: every error must be masked
            return NoPast(not_answered(self._masker, error).text)

    async def _answer(self, ask: AcceptedAsk, debugger: Debugger, sink: Sink, provider: Provider) -> Answer:
        began = time.monotonic()
        conversation = self._conversations.setdefault(ask.conversation_id, Conversation(ask.conversation_id))
        if ask.arguments.earlier is not None and not conversation.turns:
            conversation.bring(ask.arguments.earlier, self._sources)
            learn_text(self._masker, conversation.source)
        stop = debugger.stop
        if ask.arguments.context_only:
            text = await self.context(ask, debugger)
            sink.emit("answer", text)
            return Answer(text, usage=Usage(provider=provider.name, seconds=time.monotonic() - began))
        call = ask.tool or called_by(ask.arguments.question)
        if call is None:
            sink.emit("status", provider.notice)
        policy = self._policy(ask)
        if policy.unsafe:
            sink.emit("status", _UNSAFE)
        watched = Watched(debugger, sink)
        reader = StopReader(watched, self._sources, self._level(ask))
        case = await reader.read(stop, partial(candidates, ask.arguments.question)) if stop else None
        if case:
            case.question, case.masks = ask.arguments.question, self._masker
            learn_sources(self._masker, case.places)
        question = ask.arguments.question
        if call is None and not holds_none(question, self._masker.mask(question)):
            sink.emit("status", f"the question contains a secret, and is sent as: {ask.arguments.question}")
        told = TextSink(sink)
        head = conversation.moved_on(stop) if stop else ""
        if head:
            told.emit("answer", head + "\n\n")
        mask = partial(masked_message, self._masker)
        record = Transcript.of(self._settings.transcripts, conversation.id, ask.ask_id, mask)
        gate = ToolGate(policy, watched, sink, record.keep)
        bench = ToolContext(watched, case, self._masker.mask, language=self._language, gate=gate) if case else None
        ends = began + self._settings.ask_timeout_s
        work = Work(ask, bench, record, watched, told, conversation, self._settings, reader, ends)
        if stop is None and (caught := debugger.caught()):
            work.caught = reader.caught(caught)
            learn_sources(self._masker, work.caught.places)
        answer = await use(call, bench, told) if call and bench else await _provide(provider, work)
        answer.text, answer.sections = told.text, told.sections
        spot = spot_of(work.case) if work.case else ""
        if work.case:
            await confirm(answer, work.case, reader, watched, sink)
        if not answer.usage.model_calls:
            answer.usage.tool_calls = watched.calls
        answer.usage.seconds = round(time.monotonic() - began, 4)
        by_model = call is None and not answer.error and answer.usage.provider != OFFLINE
        conversation.add(Turn(ask.arguments.question, answer, watched.stop, spot, by_model))
        return answer

    async def context(self, ask: AcceptedAsk, debugger: Debugger) -> str:
        """Returns the Markdown description of the stop that a model would receive. Raises NotStopped."""
        stop = debugger.stop
        if stop is None:
            raise NotStopped("ask", "nothing is stopped: there is no context to show")
        reader = StopReader(debugger, self._sources, self._level(ask))
        case = await reader.read(stop)
        case.question, case.masks = ask.arguments.question, self._masker
        learn_sources(self._masker, case.places)
        return await kind_of(case).first_context(case, debugger, self._settings.budget_tokens)

    def _provider_of(self, ask: AcceptedAsk, debugger: StoppedSession) -> Provider:
        """Returns the provider for one question, which may be the model that the client lends."""
        if ask.arguments.offline:
            return self._provider if type(self._provider) is Offline else self._analyst
        if provider_of(self._settings, self._environ, ask.arguments.providers) != EDITOR:
            return self._provider
        return lent(self._settings, ask, debugger, self._masker)

    def _policy(self, ask: AcceptedAsk) -> Policy:
        level, settings = self._level(ask), self._settings
        return Policy(level, settings.allow, settings.deny, unsafe=settings.unsafe and level == "mutate")

    def _level(self, ask: AcceptedAsk) -> Level:
        levels: list[Level] = [ask.arguments.level or self._settings.level, self._settings.level]
        return min(levels, key=LEVELS.index)


async def _provide(provider: Provider, work: Work) -> Answer:
    """Returns the provider's answer. If the stop ends meanwhile, asks again with the values that were already read."""
    try:
        with work.sink.attempt():
            return await provider.answer(work)
    except NotStopped:
        return await provider.answer(work)

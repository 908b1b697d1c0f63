"""The built-in provider, which uses no model, key or network: the analyst of the debuggee's kind, or one tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, cast

import msgspec

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.kinds import DEFAULT, named
from dap_ai.agent.model_port import ModelError
from dap_ai.agent.providers.ask_work import Work
from dap_ai.agent.providers.base import ProviderError
from dap_ai.agent.report.wording import ADVICE
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.tool_table import run, traced_by
from dap_ai.protocol.contracts.debugger import Sink
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.ask_messages import Usage
from dap_ai.protocol.wire.report import Section
from dap_ai.settings.configuration import Settings
from dap_ai.system.texts import fenced

OFFLINE = "offline"
"""Name of the offline provider, for `usage.provider`."""
_MAX_TAIL_CHARS = 1500
_ENDED = "The program has ended, so no value can be read any more."
_NOT_STOPPED = "Nothing is stopped now, so no value can be read."
_PAUSE = f"{ADVICE} Pause the program, or set a breakpoint where the question arises, and ask again."


class Analyst(Protocol):
    """Answers questions about stops of one debuggee kind by program analysis. Caches its findings per stop."""

    async def answer(self, work: Work, case: StopSnapshot, bench: ToolContext) -> Answer:
        """Returns the answer. Sends its paragraphs to the sink when they are ready.

        Raises NotStopped, RequestFailed.
        """
        ...

    def unread(self, work: Work, caught: StopSnapshot) -> Answer | None:
        """Answers a question about an exception of which only the traceback is known. None if there is no answer."""
        ...


class HasAnalyst(Protocol):
    """The member of a debuggee kind that the offline provider uses."""

    def analyst(self) -> Analyst:
        """Returns a new analyst for this debuggee kind."""
        ...


class Offline:
    """Provider that answers by program analysis, without a language model."""

    name = OFFLINE
    notice = "offline: no language model, nothing leaves this machine"

    def __init__(self) -> None:
        self._analysts: dict[str, Analyst] = {}

    def warm(self) -> None:
        """Loads the analyst of the default debuggee kind."""
        self._analyst(DEFAULT)

    async def close(self) -> None:
        """Does nothing, because no resource stays open."""

    async def answer(self, work: Work) -> Answer:
        """Returns the answer. Sends its paragraphs to the sink when they are ready."""
        case = work.case
        if case is None or work.bench is None:
            return self._without_stop(work)
        if call := traced_by(work.ask.arguments.question):
            return await use(call, work.bench, work.sink)
        return await self._analyst(case.inspection.kind).answer(work, case, work.bench)

    def _analyst(self, kind: str) -> Analyst:
        if kind not in self._analysts:
            self._analysts[kind] = cast("HasAnalyst", named(kind)).analyst()
        return self._analysts[kind]

    def _without_stop(self, work: Work) -> Answer:
        """Answers from a caught exception, or from the conversation and the program's output."""
        turns, source, caught = work.conversation.turns, work.conversation.source, work.caught
        if caught and (not turns or turns[-1].stop is not None):
            told = self._analyst(caught.inspection.kind).unread(work, caught)
            if told:
                return told
        parts = [_ENDED if work.conversation.brought else _NOT_STOPPED]
        turn = work.conversation.recall(work.ask.arguments.question)
        if turn:
            parts.append(
                f"From this conversation, about {turn.spot or 'an earlier stop'}:\n\n{turn.answer.text.strip()}"
            )
        if source:
            parts.append(f"The source there, as it is now:\n\n{source}")
        tail = "".join(text for _, text in work.debugger.output_tail())[-_MAX_TAIL_CHARS:].strip()
        if tail:
            parts.append(f"The end of the program's output:\n\n{fenced(tail)}")
        say(work, parts if turn else [*parts, _PAUSE])
        return Answer(usage=offline_usage())


def say(work: Work, parts: Iterable[str | Section]) -> None:
    """Sends the non-empty parts of an answer to the sink, one at a time. A plain text is a part of kind `text`."""
    for part in parts:
        work.sink.say(Section("text", part) if isinstance(part, str) else part)


def offline_usage() -> Usage:
    """Returns the usage record of an answer that used no model."""
    return Usage(provider=OFFLINE)


def provider(_settings: Settings, _environ: Mapping[str, str]) -> Offline:
    """Entry point of the provider `offline`."""
    return Offline()


async def without_model(work: Work, error: ModelError, usage: Usage) -> Answer:
    """Returns the offline analyst's answer, preceded by the reason why the model did not answer.

    `usage` holds the tokens spent so far.
    """
    work.sink.emit("answer", f"**The model did not answer.** {error}\n\nWithout it, the offline analyst says:\n\n")
    answer = await Offline().answer(work)
    answer.usage = msgspec.structs.replace(usage, provider=Offline.name, model="")
    answer.error, answer.trouble = str(error), error.trouble
    return answer


class Nobody(Offline):
    """Replaces a provider that could not be loaded. Reports the load error and answers offline."""

    def __init__(self, error: ProviderError) -> None:
        super().__init__()
        self._error = error

    async def answer(self, work: Work) -> Answer:
        """Returns the offline analyst's answer, preceded by the load error."""
        return await without_model(work, ModelError(self._error.trouble, self._error.user_text), Usage())


async def use(call: ToolArguments, bench: ToolContext, sink: Sink) -> Answer:
    """Runs one tool and returns its result as the answer."""
    result = await run(bench, call)
    if result.status:
        sink.emit("status", result.status)
    sink.emit("answer", result.text.rstrip() + "\n")
    return Answer(suspects=result.suspects, fixes=result.fixes, usage=Usage(provider=OFFLINE))

"""Provider that answers with a language model: sends messages, runs the tool loop, and reads the model's report."""

from __future__ import annotations

from functools import partial
from typing import Protocol, cast

from dap_ai.agent.case.debuggee_kind import Kind, kind_of
from dap_ai.agent.guard.masked import MaskedModel, masked_message
from dap_ai.agent.guard.pass_through import PassingModel
from dap_ai.agent.kinds import DEFAULT, named
from dap_ai.agent.loop.conversation import Conversation
from dap_ai.agent.loop.investigate import AskBudget, Talk, add, investigate
from dap_ai.agent.loop.toolbox import Toolbox
from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.model_port import ModelError
from dap_ai.agent.prompts import wording
from dap_ai.agent.providers.ask_work import Work
from dap_ai.agent.providers.offline import without_model
from dap_ai.agent.tools.report_tool import ReportTool
from dap_ai.protocol.contracts.question import Answer, HistoryItem
from dap_ai.protocol.wire.ask_messages import Usage
from dap_ai.settings.configuration import Settings
from dap_ai.system.extras import PRICES

_TIME_TO_ANSWER = 0.85
"""Fraction of `ask_timeout_s` after which the model must write its answer."""
_MAX_TAIL_CHARS = 2000


class HasReport(Protocol):
    """The member of a debuggee kind that the investigator uses."""

    def report(self) -> ReportTool:
        """Returns a new report tool. A model ends its answer with a call of this tool."""
        ...


class Investigator(PassingModel):
    """Provider that answers with a language model and its tool calls."""

    def __init__(self, model: MaskedModel, masker: Masker) -> None:
        super().__init__(model)
        self._masked = model
        self._masker = masker

    def retire(self) -> None:
        """Stops sending to the model, even during an answer, because the user has chosen another provider."""
        self._masked.is_chosen = False

    @property
    def name(self) -> str:
        """Name of the model's provider, for `usage.provider`."""
        return self.provider

    async def answer(self, work: Work) -> Answer:
        """Returns the model's answer. If the model fails, returns the reason and the offline analyst's answer."""
        usage = Usage(provider=self._model.provider, model=self._model.name)
        conversation = work.conversation
        kind, record = _kind(work), work.record
        report = cast("HasReport", kind).report()
        toolbox = Toolbox(work.bench, work.sink, usage, report, conversation.marker)
        limits = budget(work.settings, 0 if conversation.messages else kind.model_tokens)
        if limits.usd and not PRICES.is_installed:
            work.sink.emit("status", f"the limit max_cost_usd is not enforced. {PRICES.install_advice}")
        if work.bench:
            gate = work.bench.passes
            limits.waited_s = lambda: gate.waited_s
        mask = partial(masked_message, self._masker)
        talk = Talk(self._masked, conversation.messages, toolbox, limits, work.sink, usage, record, mask)
        before = len(talk.messages)
        if not talk.messages:
            add(talk, {"role": "system", "content": kind.instructions(conversation.marker)})
        add(talk, {"role": "user", "content": await opening(work)})
        try:
            with work.sink.attempt():
                text = await investigate(talk)
        except ModelError as error:
            del talk.messages[before:]  # a conversation never holds a question without its answer
            return await without_model(work, error, usage)
        except BaseException:
            del talk.messages[before:]
            raise
        ending = await report.ending(text, work.bench)
        if ending:
            work.sink.emit("answer", ending)
            record.keep({"role": "note", "content": ending})
        return Answer(
            evidence=report.evidence, suspects=report.suspects, fixes=report.fixes, usage=usage, limit=bool(talk.limit)
        )


def budget(settings: Settings, whole: int = 0) -> AskBudget:
    """Returns the limits of one question. `whole` is the maximum of tokens including the last reply, 0 for no limit."""
    seconds = settings.ask_timeout_s * _TIME_TO_ANSWER
    return AskBudget(settings.max_tool_calls, settings.max_tokens, seconds, settings.max_cost_usd, whole)


def _kind(work: Work) -> Kind:
    """Returns the kind of the stopped debuggee; Python if nothing is stopped."""
    return kind_of(work.case) if work.case else cast("Kind", named(DEFAULT))


async def opening(work: Work) -> str:
    """Returns the user message for a question.

    The message describes the stop. If the model has already seen this stop, the message contains only news.
    """
    asks = _kind(work).asks
    question = work.ask.arguments.question.strip() or asks
    conversation = work.conversation
    case = work.case
    if case is None:
        return wording("running", question=question, output=_caught(work) + _output(work), earlier=_earlier(work))
    if _stands_still(conversation, work):
        return wording("follow_up", question=question, history=_history(case.history, conversation.marker))
    kind = kind_of(case)
    occasion = kind.occasion(case)
    if any(turn.told for turn in conversation.turns):
        occasion = f"{wording('moved')} {occasion}"
    context = await work.context()
    question = _after_others(conversation, question, asks)
    return wording("question", occasion=occasion, marker=conversation.marker, context=context, question=question)


def _after_others(conversation: Conversation, question: str, asks: str) -> str:
    """Returns the question, preceded by earlier questions that the offline analyst answered.

    Earlier questions are added only to a model's first question. Their answers are left out, because they may hold
    values hidden from a model.
    """
    asked = [turn.question.strip() or asks for turn in conversation.turns]
    if conversation.messages[1:] or not asked:
        return question
    return wording("earlier", asked="; ".join(asked), question=question)


def _stands_still(conversation: Conversation, work: Work) -> bool:
    """Whether the model has already received a description of this stop."""
    stop = work.debugger.stop
    last = next((t.stop for t in reversed(conversation.turns) if t.told), None)
    return bool(conversation.messages) and stop is not None and last is not None and last.epoch == stop.epoch


def _history(items: list[HistoryItem], marker: str) -> str:
    if not items:
        return ""
    rows = [f"{h.kind}: {h.text}{f' -> {h.result}' if h.result else ''}" for h in items]
    return " Meanwhile the user did:\n\n" + f"<{marker}>\n" + "\n".join(rows) + f"\n</{marker}>"


def _caught(work: Work) -> str:
    """Describes a caught exception by its traceback and source, without values; empty if there is no exception."""
    if work.caught is None:
        return ""
    marker = work.conversation.marker
    context = kind_of(work.caught).context_unread(work.caught, work.settings.budget_tokens)
    what = "or from the traceback of an exception that the program caught and reported, without any values"
    return f", {what}:\n\n<{marker}>\n{context}\n</{marker}>\n\n"


def _earlier(work: Work) -> str:
    """Returns the questions and answers of an ended session; empty if the model already knows them."""
    conversation, marker = work.conversation, work.conversation.marker
    if not conversation.brought or any(turn.told for turn in conversation.turns):
        return ""
    said = [
        f"Question{f' at {t.spot}' if t.spot else ''}: {t.question}\n\nAnswer: {t.answer.text}"
        for t in conversation.brought
    ]
    source = [f"The source there, as it is now:\n\n{conversation.source}"] if conversation.source else []
    text = "\n\n".join([*said, *source])
    return f"\n\nIts session has ended. What was said in it:\n\n<{marker}>\n{text}\n</{marker}>"


def _output(work: Work) -> str:
    tail = "".join(text for _, text in work.debugger.output_tail())[-_MAX_TAIL_CHARS:].strip()
    marker = work.conversation.marker
    return f", or from the end of the program's output:\n\n<{marker}>\n{tail}\n</{marker}>" if tail else ""

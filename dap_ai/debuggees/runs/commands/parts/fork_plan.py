"""Makes the plan of a fork, which reruns a recorded agent up to a step, with an edit there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click
import msgspec

from dap_ai.debuggees.runs.commands.parts.rerun_options import inherited
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line
from dap_ai.debuggees.runs.live.endpoint_plan import Edit, EditedResult, InsertedText, Plan
from dap_ai.debuggees.runs.live.replay.tape import Tape, TapeQuery
from dap_ai.debuggees.runs.live.wire.apis.message_edits import answer_of, from_text, resulted, with_arguments, with_call
from dap_ai.debuggees.runs.readers.json_shapes import whole, words
from dap_ai.debuggees.runs.run_model import Run, RunStep
from dap_ai.protocol.wire.visible import in_json

_SHOWN = 60


class ForkEdits(NamedTuple):
    """Edits from the command line, of which at most one is set."""

    say: str | None = None
    answer: str | None = None
    edit: Path | None = None
    call: str | None = None
    result: str | None = None


def forked(
    tape: Tape, run: Run, step: RunStep, edits: ForkEdits, texts: Literal["tape", "live", "stop"]
) -> tuple[Plan, dict[str, Any]]:
    """Return (plan, description of the fork for the new recording). Raises UsageError and RunArgumentError."""
    given = [name for name, value in edits._asdict().items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"--{given[0]} and --{given[1]}: one edit at a time; a fork can be forked again.")
    query = query_of(tape, run, step)
    until, answers, own = query.number, dict[str, Any](), list[Edit]()
    told = ""
    if edits.say is not None:
        text = _text(edits.say)
        own, told = [InsertedText(query.number, text)], f'said "{_short(text)}"'
    elif edits.result is not None:
        text = _text(edits.result)
        call_id = step.call.call_id if step.call else ""
        until = _query_with_result(tape, query, call_id, step.number)
        own, told = [EditedResult(call_id, text)], f'result "{_short(text)}"'
    elif given:
        value, told = _answered(tape, query, step, edits)
        answers = {str(query.number): value}
    shape = "stop" if texts == "stop" else "live"
    all_edits = [*inherited(tape), *own]
    plan = Plan(str(tape.folder), until, answers, all_edits, texts, shape)
    made = f"fork at step {step.number}" + (f": {told}" if told else "")
    return plan, {"words": made, "step": step.number, "query": until}


def query_of(tape: Tape, run: Run, step: RunStep) -> TapeQuery:
    """Return the recorded query whose answer led to a step. Raises RunArgumentError."""
    event = step.response or step.call
    asked = [
        each
        for each in run.events
        if event and each.kind == "query" and each.index < event.index and each.agent == event.agent
    ]
    found = tape.query(whole(int(asked[-1].native_id)) or 0) if asked and asked[-1].native_id.isdigit() else None
    if found is None:
        raise RunArgumentError(f"step {step.number} comes of no recorded query")
    return found


def recorded_answer(tape: Tape, run: Run, step: RunStep) -> str:
    """Return the recorded answer that led to a step, as formatted JSON. Raises RunArgumentError."""
    value = _recorded(tape, query_of(tape, run, step))
    return in_json(msgspec.json.format(msgspec.json.encode(value)).decode())


def _recorded(tape: Tape, query: TapeQuery) -> Any:
    answer = tape.answers.get(query.number)
    if answer is None:
        raise RunArgumentError(f"query {query.number} was never answered whole: there is nothing to edit")
    return answer.value


def _answered(tape: Tape, query: TapeQuery, step: RunStep, edits: ForkEdits) -> tuple[Any, str]:
    """Return (the edited answer, description of the edit)."""
    if edits.answer is not None:
        text = _text(edits.answer)
        return answer_of(query.api, text, words(query.settings.get("model"))), f'answered "{_short(text)}"'
    if edits.edit is not None:
        try:
            value = msgspec.json.decode(edits.edit.read_bytes(), type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeError, OSError) as error:
            raise click.UsageError(f"{edits.edit}: is no JSON object: {error}") from error
        return value, f"answered as in {edits.edit.name}"
    text = _text(edits.call or "")
    if step.call is None:
        raise click.UsageError(f"step {step.number} has no call: --answer gives another answer.")
    try:
        value = with_call(_recorded(tape, query), step.call.call_id, lambda call: _called(call, text))
    except ValueError as error:
        raise click.UsageError(f"step {step.number}: {error}.") from error
    if value is None:
        why = "the answer has no call that could be edited: it is a text, --answer gives another"
        raise click.UsageError(f"step {step.number}: {why}.")
    return value, f"called with {_short(text)}"


def _called(call: Mapping[str, Any], given: str) -> Mapping[str, Any]:
    is_text = call.get("type") == "custom_tool_call"
    return with_arguments(call, lambda old: given if is_text else from_text(old, given))


def _query_with_result(tape: Tape, query: TapeQuery, call_id: str, step: int) -> int:
    """Return the number of the first query that contains a call's result. Raises RunArgumentError."""
    later = [each for each in tape.queries if each.number > query.number]
    for each in later if call_id else ():
        messages = [msgspec.json.decode(tape.message(name) or b"null") for name in each.messages]
        if resulted(messages, call_id, "") != messages:
            return each.number
    raise RunArgumentError(f"no recorded query tells the model the result of step {step}: there is none to edit")


def _text(given: str) -> str:
    """Return the given text, or the content of FILE if the text is `@FILE`."""
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise click.UsageError(f"{given[1:]}: cannot be read: {error}") from error


def _short(text: str) -> str:
    return in_a_line(text, _SHOWN)

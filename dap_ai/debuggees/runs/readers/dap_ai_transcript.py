"""Reader of dap_ai's own transcripts (setting `transcripts`).

Each line is a message to or from the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import readable, text_of, tokens, within
from dap_ai.debuggees.runs.readers.json_lines import objects
from dap_ai.debuggees.runs.readers.json_shapes import arguments, array, at, table
from dap_ai.debuggees.runs.readers.run_assembly import finished
from dap_ai.debuggees.runs.readers.timeline import MAIN, Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Ref, Run

NAME = "dap-ai"
_QUESTION = "\nQuestion: "
"""Text before the question in a prompt. A prompt without this text has no question."""


def _sniff(path: Path) -> tuple[float, str]:
    rows_ = [table(row) for row in glance(path).rows]
    if rows_ and all("ask" in row and "role" in row and "time" in row for row in rows_):
        return 0.95, "messages with time, ask and role"
    return 0.0, "no messages of an ask"


def _read(path: Path) -> Run:
    timeline, task = Timeline(), ""
    for ref, message in objects(path, timeline):
        role, when = text_of(message.get("role")), epoch_s(message.get("time"))
        content = readable(message.get("content"))
        if role == "assistant":
            _answer(timeline, ref, message, when)
        elif role == "tool":
            timeline.result(within(ref, "/content"), content, call_id=text_of(message.get("tool_call_id")), at=when)
        elif role == "user":
            is_question = _QUESTION in content
            timeline.add("task" if is_question else "note", ref, at=when, text=content)
            task = task or (content.rpartition(_QUESTION)[2] if is_question else "")
        elif role == "consent":
            timeline.add("note", ref, at=when, text=readable({k: v for k, v in message.items() if k != "time"}))
        else:
            timeline.add("note", ref, at=when, text=content or readable(message))
    return finished(path, NAME, timeline, by_time=False, task=task)


def _answer(timeline: Timeline, ref: Ref, message: Mapping[str, Any], when: float | None) -> None:
    told = table(message.get("usage"))
    timeline.agent(MAIN, model=text_of(told.get("model")))
    timeline.new_cycle(MAIN)
    calls = list(map(table, array(message.get("tool_calls"))))
    usage = tokens(told.get("input"), None, told.get("output"))
    timeline.add(
        "response", ref, at=when, text=readable(message.get("content")), usage=usage,
        step=0 if calls else timeline.message_step(),
    )  # fmt: skip
    for place, call in enumerate(calls):
        given = at(call, "function", "arguments")
        found, _ = arguments(given)
        timeline.call(
            within(ref, f"/tool_calls/{place}"), text_of(at(call, "function", "name")),
            found if found is not None else {"input": given}, call_id=text_of(call.get("id")), at=when,
        )  # fmt: skip


reader = Reader(NAME, "a transcript of dap_ai's own", _sniff, _read)

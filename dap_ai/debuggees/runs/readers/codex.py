"""Reader of Codex: rollouts (`~/.codex/sessions/.../rollout-*.jsonl`) and `codex exec --json`.

Rollouts of 2025 without envelopes are read too. A rollout records many things twice, as API items (`response_item`) and
as screen output (`event_msg`). The API item becomes the event, and the screen output a further location of this event.
Each call is a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers import codex_calls, content_blocks, json_shapes
from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.codex_exec import CodexItems, usage_of
from dap_ai.debuggees.runs.readers.json_lines import first_rows, objects
from dap_ai.debuggees.runs.readers.run_assembly import finished
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Event, Ref, Run

_RECORDS = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_BARE_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_CONTEXT = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<permissions",
    "<turn_aborted>",
)
_SAID_TWICE = {
    "agent_message": "message",
    "user_message": "message",
    "agent_reasoning": "text",
    "agent_reasoning_raw_content": "text",
}


def _sniff(path: Path) -> tuple[float, str]:
    rows = [json_shapes.table(row) for row in first_rows(glance(path))]
    if any(
        content_blocks.text_of(row.get("type")) in _RECORDS and isinstance(row.get("payload"), Mapping) for row in rows
    ):
        return 0.95, "records of a rollout (session_meta, response_item, event_msg)"
    if any(row.get("type") == "thread.started" and "thread_id" in row for row in rows):
        return 0.95, "events of codex exec --json"
    if any(row.get("record_type") == "state" for row in rows) or _is_bare(rows):
        return 0.7, "items of an early rollout"
    return 0.0, "no rollout of Codex"


def _is_bare(rows: Sequence[Mapping[str, Any]]) -> bool:
    calls = any(row.get("type") == "function_call" and "call_id" in row for row in rows)
    return calls and any(content_blocks.text_of(row.get("type")) in _BARE_ITEMS - {"function_call"} for row in rows)


class _Rollout:
    """Converts the records of a rollout to events, in file order."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.items = CodexItems(timeline)
        self.meta: dict[str, Any] = {}
        self.task = ""
        self._response: Event | None = None
        self._asks = True

    def feed(self, ref: Ref, record: Mapping[str, Any]) -> None:
        """Add the events of one line of the file."""
        kind, payload = record.get("type"), record.get("payload")
        when = epoch_s(record.get("timestamp"))
        said = json_shapes.table(payload) if isinstance(payload, Mapping) else record
        place = content_blocks.within(ref, "/payload") if said is not record else ref
        if kind == "event_msg":
            self._shown(place, said, when)
        elif kind in ("session_meta", "turn_context") or ("instructions" in said and "id" in said):
            self._meta(place, said, when)
        elif self.items.feed(ref, record, when):
            return
        elif kind == "response_item" or payload is None:
            self._item(place, said, when)
        else:
            self._other(place, said, when, content_blocks.text_of(kind))

    def _meta(self, ref: Ref, said: Mapping[str, Any], when: float | None) -> None:
        for key in ("cwd", "model", "cli_version"):
            self.meta[key] = content_blocks.text_of(said.get(key)) or self.meta.get(key, "")
        self.timeline.agent("main", model=self.meta["model"])
        self.timeline.add(
            "note", ref, at=when, text=content_blocks.readable(said), native_id=content_blocks.text_of(said.get("id"))
        )

    def _item(self, ref: Ref, item: Mapping[str, Any], when: float | None) -> None:
        kind = content_blocks.text_of(item.get("type"))
        if kind == "message":
            self._message(ref, item, when)
        elif kind == "reasoning":
            self._reasoning(ref, item, when)
        elif call := codex_calls.call_of(item):
            self._answer(ref, when)
            self.timeline.call(ref, at=when, **call)
        elif result := codex_calls.result_of(item):
            self._asks = True
            self.timeline.result(ref, at=when, **result)
        else:
            self._other(ref, item, when, kind)

    def _answer(self, ref: Ref, when: float | None) -> Event:
        """Return the current response event.

        After a result or a task, starts a new response in a new cycle.
        """
        if self._asks or self._response is None:
            self.timeline.new_cycle("main")
            self._response = self.timeline.add("response", ref, at=when)
            self._asks = False
        return self._response

    def _message(self, ref: Ref, item: Mapping[str, Any], when: float | None) -> None:
        role = item.get("role")
        text = "\n".join(_texts(item.get("content")))
        if role == "assistant":
            self._says(ref, when, text=text)
            return
        self._asks = True
        is_task = role == "user" and not text.lstrip().startswith(_CONTEXT)
        self.timeline.add("task" if is_task else "note", ref, at=when, text=text)
        self.task = self.task or (text if is_task else "")

    def _reasoning(self, ref: Ref, item: Mapping[str, Any], when: float | None) -> None:
        texts = [*_texts(item.get("summary")), *_texts(item.get("content"))]
        self._says(ref, when, reasoning="\n".join(texts))
        if item.get("encrypted_content") and not any(texts):
            self.timeline.problem(ref, "reasoning that is encrypted cannot be shown", "encrypted reasoning")

    def _says(self, ref: Ref, when: float | None, *, text: str = "", reasoning: str = "") -> None:
        """Add text or reasoning to the current response.

        If another event was added after the response, starts a further response in the same cycle.
        """
        response = self._answer(ref, when)
        if self.timeline.events[-1] is not response:
            response = self._response = self.timeline.add("response", ref, at=when)
        response.ref = content_blocks.joined(response.ref, ref)
        response.text = "\n".join(filter(None, (response.text, text)))
        response.reasoning = "\n".join(filter(None, (response.reasoning, reasoning)))

    def _shown(self, ref: Ref, said: Mapping[str, Any], when: float | None) -> None:
        """Add an `event_msg` record, which is screen output and mostly repeats a `response_item`."""
        kind = content_blocks.text_of(said.get("type"))
        text = content_blocks.text_of(said.get(_SAID_TWICE.get(kind, "")))
        if kind in _SAID_TWICE:
            self.items.shown(ref, kind, text, when)
        elif kind == "token_count":
            self._count(ref, said, when)
        elif kind in ("error", "stream_error", "turn_aborted"):
            self.timeline.add("error", ref, at=when, text=content_blocks.readable(said.get("message", said)))
        else:
            self.timeline.add("note", ref, at=when, text=content_blocks.readable(said))

    def _count(self, ref: Ref, said: Mapping[str, Any], when: float | None) -> None:
        usage = json_shapes.at(said, "info", "last_token_usage")
        if usage and self._response is not None:
            self._response.usage = usage_of(usage)
            self._response.more = [*self._response.more, ref]
        else:
            self.timeline.add("note", ref, at=when, text=content_blocks.readable(said))

    def _other(self, ref: Ref, said: Mapping[str, Any], when: float | None, kind: str) -> None:
        """Add a record of an unknown type as a note, and report it as a problem."""
        self.timeline.add("note", ref, at=when, text=content_blocks.readable(said))
        if kind not in ("compacted", "ghost_snapshot", "compaction"):
            self.timeline.problem(ref, f"a record of the unknown type {kind!r}", f"unknown record {kind}")


def _texts(content: Any) -> list[str]:
    """Return the texts of content items (`input_text`, `output_text`, `summary_text`, ...).

    An image is described by its type and size. Any other item without text becomes JSON.
    """
    found: list[str] = []
    for _, block in content_blocks.each(content, ""):
        said = next((block[key] for key in ("text", "refusal") if isinstance(block.get(key), str)), None)
        found.append(said if said is not None else _named(block))
    return found


def _named(block: Mapping[str, Any]) -> str:
    image = content_blocks.text_of(block.get("image_url"))
    return f"[{block.get('type')}, {len(image)} characters]" if image else content_blocks.readable(block)


def _read(path: Path) -> Run:
    rollout = _Rollout(Timeline())
    for ref, record in objects(path, rollout.timeline):
        rollout.feed(ref, record)
    rollout.items.tell_unshown()
    return finished(
        path,
        "codex",
        rollout.timeline,
        by_time=True,
        format_version=rollout.meta.get("cli_version", ""),
        task=rollout.task or rollout.items.task,
        workspace=rollout.meta.get("cwd", ""),
    )


reader = Reader("codex", "a rollout of Codex, or the output of codex exec --json", _sniff, _read)

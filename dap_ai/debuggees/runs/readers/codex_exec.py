"""Reader of `codex exec --json` (threads, turns, items).

Also merges messages that a rollout records twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_ai.debuggees.runs.readers import content_blocks, json_shapes
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.run_model import EventKind, Ref, Status, TokenUsage

_TOOLS = {
    "command_execution": ("shell", "command", "aggregated_output"),
    "file_change": ("apply_patch", "changes", "status"),
    "mcp_tool_call": ("", "arguments", "result"),
    "web_search": ("web_search", "query", "action"),
    "collab_tool_call": ("", "prompt", "agents_states"),
}
"""Item types that are calls, mapped to the tool, the key of the input and the key of the output."""
_KINDS: Mapping[str, EventKind] = {"agent_message": "response", "agent_reasoning": "response", "user_message": "task"}


def usage_of(usage: Any) -> TokenUsage | None:
    """Return the token usage recorded in Codex's format. Input tokens include cached tokens."""
    return content_blocks.tokens(
        *(json_shapes.at(usage, f"{key}_tokens") for key in ("input", "cached_input", "output"))
    )


class CodexItems:
    """Converts items to events in file order.

    Screen messages are merged with the events that have the same text.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._shown: list[tuple[Ref, str, str, float | None]] = []
        self.task = ""

    def feed(self, ref: Ref, record: Mapping[str, Any], when: float | None) -> bool:
        """Add the events of one line. Returns False if the line is no record of `codex exec --json`."""
        kind = content_blocks.text_of(record.get("type"))
        if kind == "item.completed":
            self._item(content_blocks.within(ref, "/item"), json_shapes.table(record.get("item")), when)
        elif kind in ("turn.failed", "error"):
            self._timeline.add(
                "error", ref, at=when, text=content_blocks.readable(record.get("error", record.get("message")))
            )
        elif kind == "turn.completed":
            self._end(ref, record, when)
        elif kind in ("thread.started", "turn.started", "item.started", "item.updated"):
            self._timeline.add("note", ref, at=when, text=content_blocks.readable(record))
        else:
            return False
        return True

    def _end(self, ref: Ref, record: Mapping[str, Any], when: float | None) -> None:
        usage = json_shapes.table(record.get("usage"))
        self._timeline.add("end", ref, at=when, usage=usage_of(usage), arguments=usage)

    def _item(self, ref: Ref, item: Mapping[str, Any], when: float | None) -> None:
        kind, native = content_blocks.text_of(item.get("type")), content_blocks.text_of(item.get("id"))
        if kind == "agent_message":
            self._timeline.new_cycle("main")
            self._timeline.add(
                "response", ref, at=when, text=content_blocks.readable(item.get("text")), native_id=native
            )
        elif kind == "reasoning":
            self._timeline.add(
                "response", ref, at=when, reasoning=content_blocks.readable(item.get("text")), native_id=native
            )
        elif kind in _TOOLS:
            self._called(ref, item, when)
        else:
            self._timeline.add("note", ref, at=when, text=content_blocks.readable(item), native_id=native)

    def _called(self, ref: Ref, item: Mapping[str, Any], when: float | None) -> None:
        """Add the call and the result that one item records."""
        tool, given, got = _TOOLS[content_blocks.text_of(item.get("type"))]
        native, code = content_blocks.text_of(item.get("id")), item.get("exit_code")
        value = item.get(given)
        name = tool or content_blocks.text_of(item.get("tool"))
        self._timeline.call(
            ref, name, json_shapes.table(value) or {given: value}, call_id=native, at=when,
            text=content_blocks.text_of(value), native_id=native,
        )  # fmt: skip
        failed = item.get("status") == "failed" or item.get("error") is not None
        status: Status = "error" if failed else "ok" if item.get("status") == "completed" else "unknown"
        text = content_blocks.readable(item.get("error") if item.get("error") is not None else item.get(got))
        self._timeline.result(
            ref, text, call_id=native, at=when, status=status, exit_code=code if isinstance(code, int) else None
        )

    def shown(self, ref: Ref, kind: str, text: str, when: float | None) -> None:
        """Store a screen message, to be merged by `tell_unshown`."""
        self._shown.append((ref, kind, text, when))

    def tell_unshown(self) -> None:
        """Merge each stored screen message with the event of the same text.

        A screen message without such an event becomes an event itself.
        """
        said = {
            part.strip(): event for event in self._timeline.events for part in (event.text, event.reasoning) if part
        }
        reasoned = "\n".join(event.reasoning for event in self._timeline.events)
        for ref, kind, text, when in self._shown:
            if event := said.get(text.strip()):
                event.more = [*event.more, ref]
            elif not (kind.startswith("agent_reasoning") and text in reasoned):
                is_thought = kind.startswith("agent_reasoning")
                words = {"reasoning": text} if is_thought else {"text": text}
                self._timeline.add(_KINDS.get(kind, "note"), ref, at=when, **words)
                self.task = self.task or (text if kind == "user_message" else "")

"""Reader of Claude Code: session logs, stream-json files, and exports of sessions and conversations from the web.

Each line of a session log has a `uuid` and a `parentUuid`. Lines of sub-agents have `isSidechain`. They are in the same
file or in separate files beside it (`agent-ID.jsonl`, or `SESSION/subagents/`). Every line has a time, so events are
sorted by time. Stream-json records times only for results, so its events keep their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.json_documents import document
from dap_ai.debuggees.runs.readers import content_blocks, json_shapes, side_chains
from dap_ai.debuggees.runs.readers.base import Glance, Reader, glance
from dap_ai.debuggees.runs.readers.json_lines import first_rows, objects
from dap_ai.debuggees.runs.readers.stream_json import Line, StreamMessages
from dap_ai.debuggees.runs.readers.timeline import MAIN, Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Ref, Run

_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}


def is_stream(rows: Sequence[Any]) -> bool:
    """Return whether `rows` are the first lines of a stream-json file."""
    return any(
        (row.get("type") == "system" and "session_id" in row)
        or (row.get("type") in ("assistant", "user", "result") and "session_id" in row)
        for row in map(json_shapes.table, rows)
    )


def _is_session(rows: Sequence[Any]) -> bool:
    return any(
        row.get("type") in ("user", "assistant") and "message" in row and "sessionId" in row
        for row in map(json_shapes.table, rows)
    )


def _is_export(value: Any) -> bool:
    """Return whether a value is an exported web session (`loglines`) or claude.ai conversations (`chat_messages`)."""
    first = json_shapes.table(value[0]) if isinstance(value, list) and value else json_shapes.table(value)
    return "loglines" in first or "chat_messages" in first


def _sniff(path: Path) -> tuple[float, str]:
    seen = glance(path)
    first = first_rows(seen)
    if is_stream(first):
        return 0.9, "lines of stream-json with session_id"
    if _is_session(first):
        return 0.95, "lines of a session log with sessionId"
    if _is_export(seen.value):
        return 0.9, "an export with loglines or chat_messages"
    if main := _main_of(seen):
        return 0.8, f"a folder with the session log {main.name}"
    return 0.0, "neither a session log nor stream-json nor an export of Claude Code"


def _main_of(seen: Glance) -> Path | None:
    """Return the session log of a folder, or None unless the folder has exactly one session.

    Logs of the session's sub-agents do not count.
    """
    names = sorted(name for name in seen.names if name.endswith(".jsonl") and not name.startswith("agent-"))
    if seen.kind != "folder" or len(names) != 1:
        return None
    if any(name.endswith("/") and name != f"{Path(names[0]).stem}/" for name in seen.names):
        return None  # the folder holds more than one session
    rows = first_rows(glance(seen.path / names[0]))
    return seen.path / names[0] if _is_session(rows) or is_stream(rows) else None


def _read(path: Path) -> Run:
    seen = glance(path)
    if seen.kind == "folder":
        main = _main_of(seen)
        path = main or path
        seen = glance(path)
    if _is_export(seen.value):
        return _run(path, _read_export(path), "export")
    if _is_session(first_rows(seen)):
        return _run(path, *_read_session(path))
    timeline = Timeline()
    messages = StreamMessages(timeline)
    for ref, line in objects(path, timeline):
        messages.feed(ref, line)
    return _run(path, messages.finish(by_time=False), "stream-json")


def _run(path: Path, run: Run, layout: str, others: Sequence[str] = ()) -> Run:
    run.root = str(path.parent.resolve() if others else path.resolve())
    run.artefacts = [path.name if others else "", *others]
    run.format_version = f"{layout} {run.format_version}".strip()
    if run.seconds is None:
        run.seconds = max((event.at_s for event in run.events if event.at_s is not None), default=None)
    return run


def _read_session(path: Path) -> tuple[Run, str, Sequence[str]]:
    """Read a session log and the logs of its sub-agents.

    If there are such logs, refs are relative to the log's folder.
    """
    timeline = Timeline()
    messages = StreamMessages(timeline)
    others = side_chains.files_beside(path)
    name = path.name if others else ""
    files = [(path, name), *((path.parent / other, other) for other in others)]
    slim = side_chains.Slim()
    for file, own in files:
        for _, line in objects(file, Timeline(), own):  # lines that are not objects are reported by the second pass
            slim.add(line)
    speakers = side_chains.Speakers(timeline, slim.lines)
    known: dict[str, int] = {}
    for ref, line in (each for file, own in files for each in objects(file, timeline, own)):
        uuid = content_blocks.text_of(line.get("uuid"))
        said = hash(content_blocks.readable(line)) if uuid else 0
        if uuid and uuid in known and known[uuid] == said:
            timeline.problem(ref, f"the line repeats an earlier one, and is left out: {uuid}", "line said twice")
        else:
            known.setdefault(uuid, said)
            messages.feed(ref, line, agent=speakers.of(ref, line))
    timeline.sort_by_place()
    return messages.finish(by_time=True), "session", others


def _read_export(path: Path) -> Run:
    value, problems = document(path)
    timeline = Timeline()
    timeline.problems.extend(problems)
    messages = StreamMessages(timeline)
    sessions = enumerate(json_shapes.array(value)) if isinstance(value, list) else [("", value)]
    for number, (place, session) in enumerate(sessions):
        pointer = "" if place == "" else f"/{place}"
        agent = (
            MAIN
            if number == 0
            else timeline.new_agent(content_blocks.text_of(json_shapes.table(session).get("name")), "")
        )
        for ref, line, at in _exported(json_shapes.table(session), pointer):
            messages.feed(ref, line, at, agent, blocks_at="/chat_messages/" not in ref.pointer)
    if isinstance(value, list) and len(json_shapes.array(value)) > 1:
        timeline.problem(Ref(), f"{len(json_shapes.array(value))} conversations in one file: each is shown as an agent")
    return messages.finish(by_time=False)


def _exported(session: Mapping[str, Any], pointer: str) -> Iterator[Line]:
    """Yields the messages of an exported session as log lines. All other fields of the session become one note."""
    rest = {key: value for key, value in session.items() if key not in ("loglines", "chat_messages")}
    if rest:
        yield Ref(pointer=pointer), rest, None
    for place, line in enumerate(json_shapes.array(session.get("loglines"))):
        yield Ref(pointer=f"{pointer}/loglines/{place}"), json_shapes.table(line), None
    for place, message in enumerate(json_shapes.array(session.get("chat_messages"))):
        said = json_shapes.table(message)
        ref = Ref(pointer=f"{pointer}/chat_messages/{place}")
        yield ref, _as_line(said), epoch_s(said.get("created_at"))


def _as_line(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a claude.ai message to Claude Code's log format. Attached files become further text blocks."""
    content = list(json_shapes.array(said.get("content"))) or [{"type": "text", "text": said.get("text", "")}]
    attached = [*json_shapes.array(said.get("attachments")), *json_shapes.array(said.get("files"))]
    content += [{"type": "text", "text": content_blocks.readable(file)} for file in attached]
    speaker = _SPEAKERS.get(content_blocks.text_of(said.get("sender")))
    if speaker is None:
        return said
    return {"type": speaker, "message": {"role": speaker, "content": content, "id": said.get("uuid")}}


reader = Reader("claude-code", "a session log, stream-json or an export of Claude Code", _sniff, _read)

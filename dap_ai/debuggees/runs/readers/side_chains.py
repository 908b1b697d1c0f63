"""Finds the agent that wrote each line in the session logs of Claude Code.

Lines of a sub-agent form a side chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers import content_blocks, json_shapes
from dap_ai.debuggees.runs.readers.timeline import MAIN, Timeline
from dap_ai.debuggees.runs.run_model import Ref

_MOST_FILES = 200


def files_beside(path: Path) -> Sequence[str]:
    """Return the paths of the logs of a session's sub-agents, relative to the session's folder, at most 200.

    These are the logs in `SESSION/subagents/`, and the logs `agent-*.jsonl` beside the session's log whose first line
    names the session.
    """
    folder = path.parent
    candidates = [
        *sorted(folder.glob("agent-*.jsonl")),
        *sorted((folder / path.stem / "subagents").rglob("agent-*.jsonl")),
    ]
    named = [
        file
        for file in islice(candidates, _MOST_FILES)
        if file.is_file() and not file.is_symlink() and _is_of(file, path)
    ]
    return [file.relative_to(folder).as_posix() for file in named]


def _is_of(file: Path, session: Path) -> bool:
    """Return whether a sub-agent's log belongs to the session.

    Its folder or the session id in its first line shows this.
    """
    if file.parent != session.parent:
        return True
    with file.open("rb") as opened:
        return session.stem.encode() in opened.readline(65_536)


class Slim:
    """The lines of a log, reduced to the fields that identify speakers. Whole logs may not fit in memory."""

    def __init__(self) -> None:
        self.lines: list[Mapping[str, Any]] = []
        self._calls: set[str] = set()

    def add(self, line: Mapping[str, Any]) -> None:
        """Add the next line of the log."""
        is_side = line.get("isSidechain") is True
        said = json_shapes.table(line.get("message")).get("content")
        content = [slim for _, block in content_blocks.each(said, "") if (slim := self._slim(block, with_text=is_side))]
        if not is_side and not content:
            return
        told = {"agentId": json_shapes.table(line.get("toolUseResult")).get("agentId")}
        kept = {key: line[key] for key in ("uuid", "parentUuid", "isSidechain", "agentId") if key in line}
        self.lines.append({**kept, "message": {"content": content}, "toolUseResult": told})

    def _slim(self, block: Mapping[str, Any], *, with_text: bool) -> Mapping[str, Any] | None:
        """Return the part of a block to keep, or None to drop the block.

        Kept are a call of a sub-agent, the call's result without text, and text of a side chain.
        """
        given = json_shapes.table(block.get("input"))
        if "subagent_type" in given:
            self._calls.add(content_blocks.text_of(block.get("id")))
            return {**block, "input": {key: given[key] for key in ("subagent_type", "prompt") if key in given}}
        answered = content_blocks.text_of(block.get("tool_use_id"))
        if answered and answered in self._calls:
            return {"type": block.get("type"), "tool_use_id": answered}
        return block if with_text and block.get("type") == "text" else None


class Speakers:
    """Maps each line of a log to the agent that wrote it."""

    def __init__(self, timeline: Timeline, logged: Sequence[Mapping[str, Any]]) -> None:
        self._timeline = timeline
        self._lines = {content_blocks.text_of(line.get("uuid")): line for line in logged}
        self._tasks = dict(_tasks(logged))
        self._roots: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._kinds = _kinds(logged)
        self._ids = self._ids_of_chains(logged)

    def _ids_of_chains(self, logged: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
        """Return the agent's id for the root of each side chain. Chains in which no line records an id are left out."""
        told = (
            (line, content_blocks.text_of(line.get("agentId"))) for line in logged if line.get("isSidechain") is True
        )
        return {self._root(Ref(), line): agent_id for line, agent_id in told if agent_id}

    def of(self, ref: Ref, line: Mapping[str, Any]) -> str:
        """Return the name of the agent that wrote the line."""
        agent_id = content_blocks.text_of(line.get("agentId"))
        is_side = line.get("isSidechain")
        if is_side is False or (is_side is not True and not agent_id):
            return MAIN  # a result in the main chain carries the id of the agent that produced it
        root = self._root(ref, line)
        key = agent_id or self._ids.get(root, root)
        if key not in self._names:
            wanted = self._agent_kind(line, agent_id)
            self._names[key] = self._timeline.new_agent(wanted, MAIN)
        return self._names[key]

    def _root(self, ref: Ref, line: Mapping[str, Any]) -> str:
        """Return the uuid of the first line of a side chain.

        A cycle of parents is cut and reported as a problem.
        """
        passed: dict[str, None] = {}
        uuid = content_blocks.text_of(line.get("uuid"))
        while uuid and uuid not in self._roots:
            if uuid in passed:
                self._timeline.problem(ref, "parentUuid leads round in a circle", "circle of parents")
                break
            passed[uuid] = None
            parent = content_blocks.text_of(self._lines.get(uuid, {}).get("parentUuid"))
            if not parent or self._lines.get(parent, {}).get("isSidechain") is not True:
                break
            uuid = parent
        root = self._roots.get(uuid, uuid)
        self._roots.update(dict.fromkeys(passed, root))
        return root

    def _agent_kind(self, line: Mapping[str, Any], agent_id: str) -> str:
        """Return a name for a new agent: the sub-agent type that its call requested, or else the agent's id."""
        root = self._lines.get(self._roots.get(content_blocks.text_of(line.get("uuid")), ""), line)
        said = json_shapes.table(root.get("message")).get("content")
        texts = [content_blocks.classify(block).text for _, block in content_blocks.each(said, "")]
        kinds = (self._tasks.get(text.strip()) for text in texts)
        known = agent_id or self._ids.get(content_blocks.text_of(root.get("uuid")), "")
        return next(filter(None, kinds), "") or self._kinds.get(known, "") or known or "side-chain"


def _kinds(logged: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """Return the sub-agent type of each agent, by the agent's id.

    The id is in the result of the starting call, the type in the call itself.
    """
    kinds: dict[str, str] = {}
    found: dict[str, str] = {}
    for line in logged:
        told = json_shapes.table(line.get("toolUseResult"))
        agent_id = content_blocks.text_of(told.get("agentId")) or content_blocks.text_of(line.get("agentId"))
        for _, block in content_blocks.each(json_shapes.table(line.get("message")).get("content"), ""):
            kind = content_blocks.text_of(json_shapes.table(block.get("input")).get("subagent_type"))
            if kind:
                kinds[content_blocks.text_of(block.get("id"))] = kind
            elif call := kinds.get(content_blocks.text_of(block.get("tool_use_id"))):
                found[agent_id] = call
    return found


def _tasks(logged: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, str]]:
    """Return a pair of prompt and sub-agent type for each call that starts a sub-agent."""
    found: list[tuple[str, str]] = []
    for line in logged:
        for _, block in content_blocks.each(json_shapes.table(line.get("message")).get("content"), ""):
            given = json_shapes.table(block.get("input"))
            kind = content_blocks.text_of(given.get("subagent_type"))
            if block.get("type") == "tool_use" and kind:
                found.append((content_blocks.text_of(given.get("prompt")).strip(), kind))
    return found

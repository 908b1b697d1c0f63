"""Reads episodes of the agents Terminus-1 and Terminus-2.

An episode is a folder for one query to the model, with the prompt and the model's answer. Each episode is a step: one
call with all the keystrokes that the answer requests. The call's result is the next prompt, which shows the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.content_blocks import readable
from dap_ai.debuggees.runs.readers.json_shapes import array, decoded, table
from dap_ai.debuggees.runs.readers.timeline import MAIN, Timeline
from dap_ai.debuggees.runs.run_files import CannotRead, content, inside
from dap_ai.debuggees.runs.run_model import Ref

FOLDERS = ("agent-logs", "agent_logs", "agent")
_EPISODE = re.compile(r"episode[-_](\d{1,6})\Z")
_KEYSTROKES = re.compile(r"<keystrokes([^>]*)>(.*?)</keystrokes>", re.DOTALL)
_ANSWERS = ("response.txt", "response.json", "response.md")
_MOST = 10_000
_MAX_BYTES = 64 * 1024 * 1024
_TOOL = "terminal"


def folders(root: Path) -> Sequence[Path]:
    """Return the episode folders below a run's root, in episode order; empty if the run has no episodes."""
    for name in FOLDERS:
        if (root / name).is_dir():
            found = ((_EPISODE.match(path.name), path) for path in islice((root / name).iterdir(), _MOST))
            numbered = [(int(match[1]), path) for match, path in found if match and path.is_dir()]
            if numbered:
                return [path for _, path in sorted(numbered)]
    return []


def tell(root: Path, timeline: Timeline, episodes: Sequence[Path]) -> None:
    """Add the events of the episodes to the timeline. `root` is the run's folder, to which refs are relative."""
    open_call = ""
    for number, folder in enumerate(episodes):
        prompt, ref = _file(root, folder, ("prompt.txt",), timeline)
        timeline.new_cycle(MAIN)
        if open_call and prompt:
            timeline.result(ref, prompt, call_id=open_call)
            timeline.add("query", ref)
        elif prompt:
            timeline.add("query", ref, text=prompt)
        open_call = _answer(root, folder, timeline, f"episode-{number}")


def _answer(root: Path, folder: Path, timeline: Timeline, call_id: str) -> str:
    """Add the model's answer and its call; return the call's id.

    The id is empty if the answer requests no commands.
    """
    text, ref = _file(root, folder, _ANSWERS, timeline)
    if not text:
        return ""
    commands, is_understood = requested_commands(text)
    debug = folder / "debug.json"
    more = [Ref(debug.relative_to(root).as_posix())] if debug.is_file() else []
    step = 0 if commands else timeline.message_step()
    timeline.add("response", ref, text=text, step=step, more=more)
    if not is_understood:
        timeline.problem(ref, "no commands of Terminus were found in the answer", "answer that is not understood")
    if not commands:
        return ""
    keys = "".join(readable(command.get("keystrokes")) for command in commands)
    timeline.call(ref, _TOOL, {"commands": commands}, call_id=call_id, text=keys.rstrip("\n"))
    return call_id


def _file(root: Path, folder: Path, names: Sequence[str], timeline: Timeline) -> tuple[str, Ref]:
    """Return the text and ref of the first file in `names` that exists.

    If no file can be read, the text is empty and a problem is reported.
    """
    for name in names:
        ref = Ref((folder / name).relative_to(root).as_posix())
        if not (folder / name).is_file():
            continue
        try:
            return content(inside(root, ref.path), _MAX_BYTES).decode("utf-8", "replace"), ref
        except CannotRead as error:
            timeline.problem(Ref(), str(error))
    timeline.problem(Ref(), f"{folder.relative_to(root).as_posix()} has no {names[0]}", f"no {names[0]}")
    return "", Ref()


def requested_commands(answer: str) -> tuple[list[Mapping[str, Any]], bool]:
    """Return the commands that an answer requests, and whether the answer has Terminus' format (JSON or XML tags)."""
    start, end = answer.find("{"), answer.rfind("}")
    if 0 <= start < end:
        found = table(decoded(answer[start : end + 1]))
        if "commands" in found:
            return [table(command) for command in array(found["commands"]) if table(command)], True
    tags = [{"keystrokes": keys, "attributes": given.strip()} for given, keys in _KEYSTROKES.findall(answer)]
    return list(tags), bool(tags) or "<commands>" in answer or "<task_complete>" in answer

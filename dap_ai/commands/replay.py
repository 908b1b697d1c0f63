"""The command `dap-ai replay`: replay a wire log without debuggee, network or agent."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import click

import dap_ai
from dap_ai.adapter.recording.journal import JournalError, Row
from dap_ai.adapter.recording.replaying import Numbered, Replay, ReplayDifference
from dap_ai.commands.display.command_output import say, warn

_HELP = """Replay a file of `dap-ai serve --log FILE`: the proxy must answer every message as it did then.

No program, debug adapter, network or model is involved. The first difference is shown, and the exit code is 1 then; it
is 2 for a file that cannot be replayed.
"""
_MAX_CHARS = 300


class LogError(ValueError):
    """Raised if a file cannot be replayed; the text gives the reason."""


@click.command(help=_HELP)
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--session", type=click.IntRange(min=1), metavar="N", help="Replay only this session of the file.")
@click.option("-v", "--verbose", is_flag=True, help="Print every event and effect, one per line.")
def command(log: Path, session: int | None, *, verbose: bool) -> None:
    """Ends the process with the documented exit codes."""
    try:
        with log.open("rb") as file:
            replays = replayed(file, session, say if verbose else None)
    except LogError as error:
        warn(f"{log}: {error}")
        sys.exit(2)
    for number, replay in replays.items():
        say(f"session {number}: {describe_replay(replay)}")
    sys.exit(1 if any(replay.difference for replay in replays.values()) else 0)


def replayed(lines: Iterable[bytes], only: int | None, show: Callable[[str], None] | None = None) -> dict[int, Replay]:
    """Replay the sessions of a wire log and return the replays by session number.

    `only`: replay this session alone. `show`: called with each line of the log as text. Raises LogError.
    """
    replays: dict[int, Replay] = {}
    versions: dict[int, str] = {}
    for line in _rows(lines):
        number = line.row.get("session")
        if not isinstance(number, int):
            raise LogError(f"line {line.line} is not part of a wire log")
        if only not in (None, number):
            continue
        try:
            if "dap_ai" in line.row:
                versions[number] = str(line.row["dap_ai"])
                replays[number] = Replay(line.row)
            elif number in replays:
                if show:
                    show(_shown(line.row))
                replays[number].feed(line)
        except JournalError as error:
            raise LogError(f"line {line.line}: {error}{_of_another(versions[number])}") from error
    if not replays:
        raise LogError("it is empty" if only is None else f"it has no session {only}")
    return replays


def _of_another(version: str) -> str:
    return "" if version == dap_ai.__version__ else f" (the log is of dap_ai {version}, this is {dap_ai.__version__})"


def _rows(lines: Iterable[bytes]) -> Iterator[Numbered]:
    """Parse the log line by line. Raises LogError.

    Omits the incomplete last line that a killed proxy leaves.
    """
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            if number > 1 and not line.endswith(b"\n"):
                return
            row = None
        if not isinstance(row, dict) or (number == 1 and "dap_ai" not in row):
            raise LogError(f"line {number} is not part of a wire log")
        yield Numbered(number, cast("Row", row))


def describe_replay(replay: Replay) -> str:
    """Describe a replay's result as text, with the first difference if there is a difference."""
    found = replay.difference
    counted = f"{replay.events} events, {replay.effects} effects"
    if found is None:
        return f"{counted}, all the same{'' if replay.is_whole else '; the log ends before the session does'}"
    return f"{counted} the same, then a difference{_describe_difference(found)}"


def _describe_difference(found: ReplayDifference) -> str:
    line = found.expected.line if found.expected else found.event.line
    where = f" at {found.where}" if found.where else ""
    expected = _shown(found.expected.row) if found.expected else "nothing more"
    got = _shown(found.got) if found.got else "nothing more"
    return (
        f", line {line}{where}:\n  after     {_shown(found.event.row)}   (line {found.event.line})\n"
        f"  expected  {expected}\n  got       {got}"
    )


def _shown(row: Row) -> str:
    """Format a row of the log as the tests' playbooks write it: `>> client request 7 threads {}`."""
    if "ended" in row:
        return "-- the session has ended"
    if "rules" in row:
        return "-- the debug adapter is better known now"
    name = str(row.get("event") or row.get("effect"))
    arrow = ">>" if "event" in row else "<<"
    who = name.removeprefix("From").removeprefix("To").lower() if "message" in row else name
    parts = [arrow, who, _json(row["data"]) if "data" in row else ""]
    if "message" in row:
        parts.append(_shown_message(row["message"]))
    if "raw" in row:
        parts.append(repr(row["raw"]))
    text = " ".join(part for part in parts if part)
    return text if len(text) <= _MAX_CHARS else f"{text[:_MAX_CHARS]}... ({len(text)} characters)"


def _shown_message(message: Any) -> str:
    match message:
        case {"type": "request", "command": name}:
            return f"request {message.get('seq')} {name} {_json(message.get('arguments', {}))}"
        case {"type": "event", "event": name}:
            return f"event {name} {_json(message.get('body', {}))}"
        case {"type": "response", "command": name}:
            outcome = "ok" if message.get("success") else f"fail {message.get('message', '')}"
            return f"response {message.get('request_seq')} {name} {outcome} {_json(message.get('body', {}))}"
        case _:
            return _json(message)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)

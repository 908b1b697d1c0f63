"""Launch configuration of a live agent."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError

_VARIABLE = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_CONSOLES = ("internalConsole", "integratedTerminal", "externalTerminal")


@dataclass(frozen=True)
class LiveLaunch:
    """Parsed launch configuration of a live agent. Paths are absolute, because the proxy resolves them."""

    command: Sequence[str]
    cwd: str
    workspace: str
    """Directory whose changes are recorded; empty to record no changes."""
    env: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    """Environment variables to set; None unsets a variable."""
    out: str = ""
    """Folder of the recording; empty for a new folder in the user's data directory."""
    console: str = "internalConsole"
    stop_on_entry: bool = False
    stop_all: bool = False
    keep_alive_s: float = 2.0
    hold_at_end: str = ""
    """When to stop after the agent has ended: `end` always, `failure` if the agent failed, never if empty."""
    python: bool = False
    """Whether to debug the agent's Python in a child session."""


def parse_launch(arguments: RequestArguments) -> LiveLaunch:
    """Parse a launch request's arguments. Raises RequestError."""
    fields = arguments.fields
    console = arguments.text("console", "internalConsole")
    if console not in _CONSOLES:
        raise RequestError(f"`console` is {console!r}, and has to be one of {', '.join(_CONSOLES)}")
    workspace = fields.get("workspace")
    cwd = arguments.text("cwd", ".")
    variables, command = _command(fields.get("command"))
    return LiveLaunch(
        command=command,
        cwd=cwd,
        workspace="" if workspace is False else arguments.text("workspace", "") or cwd,
        env={**variables, **_env(fields.get("env"))},
        out=arguments.text("out", ""),
        console=console,
        stop_on_entry=fields.get("stopOnEntry") is True or fields.get("stopAt") == "entry",
        stop_all=fields.get("stopAll") is True,
        keep_alive_s=_seconds(fields.get("keepAlive")),
        hold_at_end=_stop_at(fields.get("stopAt")),
        python=fields.get("python") is True,
    )


def _command(value: Any) -> tuple[dict[str, str], list[str]]:
    """Return (variables, words) of a command. A command in one string may start with `NAME=value`, as in a shell."""
    variables = dict[str, str]()
    if isinstance(value, str):
        try:
            value = shlex.split(value)
        except ValueError as error:
            raise RequestError(f"`command` is no command line: {error}") from error
        while value and (found := _VARIABLE.fullmatch(value[0])):
            variables[found[1]] = found[2]
            del value[0]
    words = cast("list[Any]", value) if isinstance(value, list) else []
    if not words or not all(isinstance(word, str) for word in words):
        raise RequestError('`command` is to be a list of words, as ["mini", "-t", "fix the test"], or a text')
    return variables, [str(word) for word in words]


def _env(value: Any) -> dict[str, str | None]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise RequestError("`env` is to be an object of texts")
    rows = cast("Mapping[Any, Any]", value)
    return {str(name): None if each is None else str(each) for name, each in rows.items()}


def _stop_at(value: Any) -> str:
    if value not in (None, "entry", "end", "failure", "breakpoint"):
        raise RequestError(f"`stopAt` is {value!r}, and of a live agent is to be entry, end or failure")
    return str(value) if value in ("end", "failure") else ""


def _seconds(value: Any) -> float:
    if value is None:
        return 2.0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise RequestError("`keepAlive` is to be a number of seconds")
    return float(value)

"""Redirects agents that read no model address from the environment, by adding options to their command line.

Codex gets `-c` options, so that its sign-in, other settings and sessions are unaffected. Every user of the machine can
read a command line, so the token is passed in an environment variable, which Codex sends as a header.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from dap_ai.debuggees.runs.live.wire import endpoint_token
from dap_ai.debuggees.runs.readers.json_shapes import table
from dap_ai.settings.toml_files import BadFile, parse, read

_NAMES = ("codex", "codex.exe", "codex.js", "@openai/codex")
_RUNNERS = ("npx", "bunx", "node")
_SAID = ("--oss", "--local-provider", "-p", "--profile")
_SAID_KEYS = ("model_provider", "openai_base_url", "chatgpt_base_url", "profile")
"""Options and setting keys by which the user has already chosen the model's address on the command line."""
_OPENAI, _CHATGPT = "https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"


class AgentAddress(NamedTuple):
    """The model address of an agent's command, and where to insert options that replace it."""

    url: str
    """Address that the agent would connect to."""
    place: int
    """Number of command words that precede the inserted options."""
    provider: str = ""
    """Settings key of the user's own provider; empty for OpenAI."""

    def command(self, words: Sequence[str], address: str) -> list[str]:
        """Return the command with options that make the agent connect to dap_ai's endpoint."""
        settings = {f"{self.provider}.base_url" if self.provider else "openai_base_url": self._beneath(address)}
        if self.provider:
            settings[f"{self.provider}.env_http_headers.{endpoint_token.HEADER}"] = endpoint_token.VARIABLE
        added = [word for key, value in settings.items() for word in ("-c", f"{key}={json.dumps(value)}")]
        return [*words[: self.place], *added, *words[self.place :]]

    def environment(self, environ: Mapping[str, str], token: str) -> dict[str, str]:
        """Return the environment variable that holds the token."""
        if self.provider:
            return {endpoint_token.VARIABLE: endpoint_token.with_token(token)}
        return {
            endpoint_token.PROJECT_VARIABLE: endpoint_token.with_token(
                token, environ.get(endpoint_token.PROJECT_VARIABLE, "")
            )
        }

    def _beneath(self, address: str) -> str:
        return address + urlsplit(self.url).path


def agent_address(command: Sequence[str], environ: Mapping[str, str]) -> AgentAddress | None:
    """Return the address in a known agent's command; None for another command, or if the user set the address."""
    place = _program(command)
    if not place or _sets_address(command[place:]):
        return None
    home = environ.get("CODEX_HOME") or str(Path(environ.get("HOME") or Path.home()) / ".codex")
    settings = _settings(Path(home) / "config.toml")
    name = settings.get("model_provider", "openai")
    if settings.get("profile") or not isinstance(name, str) or not name.isidentifier():
        return None
    if name != "openai":
        url = table(table(settings.get("model_providers")).get(name)).get("base_url")
        return _at(url, place, f"model_providers.{name}")
    url = settings.get("openai_base_url") or (_CHATGPT if _is_signed_in(Path(home)) else _OPENAI)
    return _at(url, place)


def _program(command: Sequence[str]) -> int:
    """Return the number of words at the beginning of a command that name Codex; 0 for another program."""
    names = [PurePath(word).name if not word.startswith("@") else word.split("@codex")[0] for word in command]
    runner = PurePath(command[0]).name if command else ""
    for place, name in enumerate(names[: 4 if runner in _RUNNERS else 1]):
        if name in _NAMES or name.startswith("@openai/codex"):
            return place + 1
    return 0


def _sets_address(words: Sequence[str]) -> bool:
    keys = [key for word in words for key in (word, word.removeprefix("--config="), word.removeprefix("-c"))]
    return any(word in _SAID for word in words) or any(key.startswith(_SAID_KEYS) for key in keys)


def _is_signed_in(home: Path) -> bool:
    """Return whether Codex uses a ChatGPT subscription instead of an API key."""
    with contextlib.suppress(OSError, ValueError):
        found = table(json.loads((home / "auth.json").read_text(encoding="utf-8")))
        return bool(found.get("tokens")) and not found.get("OPENAI_API_KEY")
    return False


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        return parse(read(path), path)
    except BadFile:
        return {}


def _at(url: object, place: int, provider: str = "") -> AgentAddress | None:
    is_address = isinstance(url, str) and url.startswith(("http://", "https://"))
    return AgentAddress(str(url).rstrip("/"), place, provider) if is_address else None

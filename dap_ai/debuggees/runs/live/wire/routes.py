"""Environment variables for a model's address, and their values that lead the agent to the endpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from dap_ai.debuggees.runs.live.wire.request_notes import Who
from dap_ai.debuggees.runs.readers.json_shapes import table

_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_LOOPBACK = "127.0.0.1"
ASKER = b"x-dap-ai-agent"
"""Header that a hook adds to a query: names of the agent and its parent, percent-encoded, separated by a semicolon. The
endpoint removes it."""
GATE = "gate"
"""URL path, after the token, to which hooks send announcements."""


HOOK = Path(__file__).parents[1] / "hook" / "start"
"""Folder that contains only the hook's sitecustomize."""


class Vendor(NamedTuple):
    """A vendor of models, with the environment variables that its clients read."""

    name: str
    variables: Sequence[str]
    """Environment variables for the model's address; the first that is set counts."""
    default: str
    """Address if no variable is set."""


VENDORS = (
    Vendor("openai", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "https://api.openai.com/v1"),
    Vendor("anthropic", ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"), "https://api.anthropic.com"),
    Vendor("openrouter", ("OPENROUTER_BASE_URL", "OPENROUTER_API_BASE"), "https://openrouter.ai/api/v1"),
)


class Upstream(NamedTuple):
    """Address to which one vendor's requests are forwarded."""

    name: str
    url: str
    """Address as a client would use it, with a path and without a trailing slash."""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"


def upstreams(environ: Mapping[str, str]) -> list[Upstream]:
    """Return the address of each vendor, from the user's environment or the default. Raises ValueError if invalid."""
    found = list[Upstream]()
    for vendor in VENDORS:
        name, url = next(
            ((name, environ[name]) for name in vendor.variables if environ.get(name)), ("", vendor.default)
        )
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{name} is no address of a model: it starts with neither http:// nor https://")
        found.append(Upstream(vendor.name, url.rstrip("/")))
    return found


def environment(environ: Mapping[str, str], port: int, token: str, *, gate: bool = False) -> dict[str, str]:
    """Return the environment variables that make the agent use the endpoint, bypassing the user's proxy.

    With `gate`, includes the gate's address for hooks in the agent's process.
    """
    changed = _hooked(environ, f"http://{_LOOPBACK}:{port}/{token}/{GATE}") if gate else dict[str, str]()
    for vendor, upstream in zip(VENDORS, upstreams(environ), strict=True):
        path = urlsplit(upstream.url).path
        for name in vendor.variables:
            changed[name] = f"http://{_LOOPBACK}:{port}/{token}/{upstream.name}{path}"
    if any(environ.get(name) or environ.get(name.upper()) for name in _PROXIES):
        for name in ("no_proxy", "NO_PROXY"):
            changed[name] = ",".join(filter(None, (environ.get(name), _LOOPBACK)))
    return changed


def _hooked(environ: Mapping[str, str], gate: str) -> dict[str, str]:
    """Return variables that make each Python process of the agent run the hook before the user's sitecustomize."""
    before = [place for place in environ.get("PYTHONPATH", "").split(os.pathsep) if place not in ("", str(HOOK))]
    path = os.pathsep.join([str(HOOK), *before])
    return {"DAP_AI_GATE": gate, "PYTHONPATH": path}


def target(path: str, known: Mapping[str, Upstream]) -> tuple[Upstream, str] | None:
    """Return (upstream, path at the upstream) for a path without its token; None for an unknown upstream."""
    _, name, rest = [*path.split("/", 2), "", ""][:3]
    upstream = known.get(name)
    return (upstream, f"/{rest}") if upstream is not None else None


def is_gate(path: str) -> bool:
    """Return whether a path is the gate's path, to which hooks send announcements."""
    return path == f"/{GATE}"


def asker(header: str) -> Who | None:
    """Parse the header that names a query's agent; None for an empty header."""
    name, _, parent = header.partition(";")
    return Who(unquote(name), unquote(parent)) if name else None


def named(value: object) -> dict[str, Upstream]:
    """Parse upstreams from a JSON object that maps names to addresses."""
    return {name: Upstream(name, str(url)) for name, url in table(value).items()}

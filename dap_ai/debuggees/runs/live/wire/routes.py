"""Which variables of the environment say where a model is, and what they say while we stand before it."""

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
"""The header that a hook puts on a query: the agent's name and parent, quoted, a semicolon between. Never passed on."""
GATE = "gate"
"""Behind the secret: where hooks in the agent's process announce what happens."""


HOOK = Path(__file__).parents[1] / "hook" / "start"
"""Has the sitecustomize of the hook, and nothing else."""


class Vendor(NamedTuple):
    """A service of models, as clients find it."""

    name: str
    variables: Sequence[str]
    """Each is read by some client; the first that the user has set says where the model is."""
    default: str
    """The address where none is set."""


VENDORS = (
    Vendor("openai", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "https://api.openai.com/v1"),
    Vendor("anthropic", ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"), "https://api.anthropic.com"),
    Vendor("openrouter", ("OPENROUTER_BASE_URL", "OPENROUTER_API_BASE"), "https://openrouter.ai/api/v1"),
)


class Upstream(NamedTuple):
    """Where requests of one vendor's clients go."""

    name: str
    url: str
    """As the client would have it: with its path, without a slash at its end."""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"


def upstreams(environ: Mapping[str, str]) -> list[Upstream]:
    """Where the user's own settings, or the vendors' defaults, lead. Raises ValueError where one is no address."""
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
    """The variables to be changed for the agent. A client behind a proxy is to come to us without it.

    With a `gate`, hooks in the agent's process are told where it is.
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
    """So that each Python of the agent's, and of what it starts, runs the hook, and then what it would have run."""
    before = [place for place in environ.get("PYTHONPATH", "").split(os.pathsep) if place not in ("", str(HOOK))]
    path = os.pathsep.join([str(HOOK), *before])
    return {"DAP_AI_GATE": gate, "PYTHONPATH": path}


def target(path: str, known: Mapping[str, Upstream]) -> tuple[Upstream, str] | None:
    """The upstream that a path without its token names, and the path there; None: it names none."""
    _, name, rest = [*path.split("/", 2), "", ""][:3]
    upstream = known.get(name)
    return (upstream, f"/{rest}") if upstream is not None else None


def is_gate(path: str) -> bool:
    """Whether a request is to the gate: a hook announces something."""
    return path == f"/{GATE}"


def asker(header: str) -> Who | None:
    """What a hook says of whose query it is."""
    name, _, parent = header.partition(";")
    return Who(unquote(name), unquote(parent)) if name else None


def named(value: object) -> dict[str, Upstream]:
    """Upstreams of a JSON object, by name."""
    return {name: Upstream(name, str(url)) for name, url in table(value).items()}

"""Finds the kinds of debuggee: entry points of the group `dap_ai.kinds`, each an object that is all of its kind.

Who needs a part of a kind states it as a Protocol and casts to that: the reader of stops
(`agent/case/debuggee_kind.py`), the
tools (`agent/tools/base.py`), the offline analyst, the command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points

from dap_ai.protocol.wire.errors import RequestFailed

GROUP = "dap_ai.kinds"
DEFAULT = "python"
"""The kind of a debuggee of which nothing is known."""


class KindError(RequestFailed):
    """A stop names a kind that is not installed, or whose package does not load; the text says which."""

    def __init__(self, text: str) -> None:
        super().__init__("ask", "noKind", text)


@cache
def _loaded() -> tuple[Mapping[str, object], Mapping[str, str]]:
    """The kinds by name, and those that do not load with the reason: a broken package is in nobody's way."""
    found: dict[str, object] = {}
    broken: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found[point.name] = point.load()
        except Exception as error:  # noqa: BLE001, PERF203  anybody's code; there are few
            broken[point.name] = f"{type(error).__name__}: {error}"
    return found, broken


def kinds() -> Iterator[object]:
    """Those that are installed, by name."""
    return iter(_loaded()[0].values())


def broken() -> Mapping[str, str]:
    """Those that do not load, and why."""
    return _loaded()[1]


def named(name: str) -> object:
    """The kind of this name. Raises KindError."""
    found, bad = _loaded()
    if name not in found:
        why = f"its package does not load: {bad[name]}" if name in bad else f"installed: {', '.join(found) or 'none'}"
        raise KindError(f"There is no kind of debuggee '{name}' here ({why}).")
    return found[name]


def of_language(language: str) -> object:
    """The kind whose source is in this language, by its `languages`; else the default one."""
    own = (kind for kind in kinds() if language in getattr(kind, "languages", ()))
    return next(own, named(DEFAULT))

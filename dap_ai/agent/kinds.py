"""Finds the kinds of debuggee: entry points of the group `dap_ai.kinds`, each one object with every part of its kind.

Code that needs a part of a kind declares it as a Protocol and casts to it: the stop reader
(`agent/case/debuggee_kind.py`), the tools (`agent/tools/base.py`), the offline analyst, the command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points

from dap_ai.protocol.wire.errors import RequestFailed

GROUP = "dap_ai.kinds"
DEFAULT = "python"
"""Kind of a debuggee about which nothing is known."""


class KindError(RequestFailed):
    """Raised when a stop names a kind that is not installed or whose package does not load; the text says which."""

    def __init__(self, text: str) -> None:
        super().__init__("ask", "noKind", text)


@cache
def _loaded() -> tuple[Mapping[str, object], Mapping[str, str]]:
    """Returns the loaded kinds by name and the load errors by name: one broken package must not affect the others."""
    found: dict[str, object] = {}
    broken: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found[point.name] = point.load()
        except Exception as error:  # noqa: BLE001, PERF203  third-party code; the loop is short
            broken[point.name] = f"{type(error).__name__}: {error}"
    return found, broken


def kinds() -> Iterator[object]:
    """Returns the installed kinds that load, sorted by name."""
    return iter(_loaded()[0].values())


def broken() -> Mapping[str, str]:
    """Returns the kinds that do not load: name to error text."""
    return _loaded()[1]


def named(name: str) -> object:
    """Returns the kind called `name`. Raises KindError."""
    found, bad = _loaded()
    if name not in found:
        why = f"its package does not load: {bad[name]}" if name in bad else f"installed: {', '.join(found) or 'none'}"
        raise KindError(f"There is no kind of debuggee '{name}' here ({why}).")
    return found[name]


def of_language(language: str) -> object:
    """Returns the kind whose `languages` contains `language`, else the default kind."""
    own = (kind for kind in kinds() if language in getattr(kind, "languages", ()))
    return next(own, named(DEFAULT))

"""Finds the kinds of debuggee: each entry point of the group `dap_ai.kinds` names one object with all parts of a kind.

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
"""Kind assumed for a debuggee that does not name its kind."""


class KindError(RequestFailed):
    """Raised for a debuggee kind that is not installed or whose package fails to load. The text names the kind."""

    def __init__(self, text: str) -> None:
        super().__init__("ask", "noKind", text)


@cache
def _loaded() -> tuple[Mapping[str, object], Mapping[str, str]]:
    """Returns the loaded kinds and the load errors, both by name. A broken package does not affect other kinds."""
    found: dict[str, object] = {}
    broken: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found[point.name] = point.load()
        except Exception as error:  # noqa: BLE001, PERF203  third-party code; the loop is short
            broken[point.name] = f"{type(error).__name__}: {error}"
    return found, broken


def kinds() -> Iterator[object]:
    """Returns the installed debuggee kinds that load, sorted by name."""
    return iter(_loaded()[0].values())


def broken() -> Mapping[str, str]:
    """Returns the error text of each debuggee kind that fails to load, by name."""
    return _loaded()[1]


def named(name: str) -> object:
    """Returns the debuggee kind called `name`. Raises KindError."""
    found, bad = _loaded()
    if name not in found:
        why = f"its package does not load: {bad[name]}" if name in bad else f"installed: {', '.join(found) or 'none'}"
        raise KindError(f"There is no kind of debuggee '{name}' here ({why}).")
    return found[name]


def of_language(language: str) -> object:
    """Returns the debuggee kind whose `languages` contains `language`, else the default kind."""
    own = (kind for kind in kinds() if language in getattr(kind, "languages", ()))
    return next(own, named(DEFAULT))

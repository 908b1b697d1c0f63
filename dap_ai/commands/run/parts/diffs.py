"""Lines of a diff in colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dap_ai.commands.run.parts.paging import styled

_COLOURS: dict[str, dict[str, Any]] = {"+": {"fg": "green"}, "-": {"fg": "red"}, "@": {"fg": "cyan"}}


def diff_lines(lines: Iterable[str]) -> Iterator[str]:
    """Each line by its first character."""
    for line in lines:
        yield styled(line, **_COLOURS.get(line[:1], {}))

"""The grammar of C, C++ and Rust: see agent.source.parsed.Grammar."""

from __future__ import annotations

from typing import Any

from dap_ai.agent.case.stack import Frame
from dap_ai.agent.source.parsed import Expression, Function
from dap_ai.agent.source.source import SourceFile
from dap_ai.debuggees.native.source import frames
from dap_ai.debuggees.native.source.parsing import Unit, parse, parse_expression


class Languages:
    """See agent.source.parsed.Grammar."""

    def parse(self, text: str, language: str) -> Unit:
        """See parsing.parse."""
        return parse(text, language)

    def expression(self, text: str, language: str) -> Expression:
        """See parsing.parse_expression."""
        return parse_expression(text, language)

    def frames(self, rows: list[dict[str, Any]]) -> list[Frame]:
        """See frames.frames_of."""
        return frames.frames_of(rows)


GRAMMAR = Languages()


def unit_of(source: SourceFile | None) -> Unit | None:
    """Returns the parsed file; None if there is no source or no grammar is installed."""
    unit = source.unit if source else None
    return unit if isinstance(unit, Unit) else None


def function_at(source: SourceFile | None, line: int) -> Function | None:
    """The innermost function that holds the line."""
    unit = unit_of(source)
    return unit.function_at(line) if unit else None

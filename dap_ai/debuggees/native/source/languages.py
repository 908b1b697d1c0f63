"""The grammar of C, C++ and Rust: implements agent.source.parsed.Grammar."""

from __future__ import annotations

from typing import Any

from dap_ai.agent.case.stop_snapshot import StackFrame
from dap_ai.agent.source.parsed import Expression, Function
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.native.source import frame_folding
from dap_ai.debuggees.native.source.parsing import ParsedFile, parse, parse_expression


class NativeGrammar:
    """Implements agent.source.parsed.Grammar for C, C++ and Rust."""

    def parse(self, text: str, language: str) -> ParsedFile:
        """Parse a source text: see parsing.parse."""
        return parse(text, language)

    def expression(self, text: str, language: str) -> Expression:
        """Parse one expression: see parsing.parse_expression."""
        return parse_expression(text, language)

    def frames(self, rows: list[dict[str, Any]]) -> list[StackFrame]:
        """Convert DAP stack frames: see frame_folding.frames_of."""
        return frame_folding.frames_of(rows)


GRAMMAR = NativeGrammar()


def unit_of(source: SourceFile | None) -> ParsedFile | None:
    """Return the parsed file; None if there is no source or no grammar is installed."""
    unit = source.unit if source else None
    return unit if isinstance(unit, ParsedFile) else None


def function_at(source: SourceFile | None, line: int) -> Function | None:
    """Return the innermost function around the line; None if there is none."""
    unit = unit_of(source)
    return unit.function_at(line) if unit else None

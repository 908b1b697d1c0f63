"""The grammar of C, C++ and Rust, and lookups in their parsed source files."""

from __future__ import annotations

from typing import Any

from dap_ai.agent.case.stop_snapshot import StackFrame
from dap_ai.agent.source.parsed import Expression, Function
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.native.source import frame_folding
from dap_ai.debuggees.native.source.parsing import ParsedFile, parse, parse_expression


class NativeGrammar:
    """Parses C, C++ and Rust for the agent, as agent.source.parsed.Grammar requires."""

    def parse(self, text: str, language: str) -> ParsedFile:
        """Parse the text of a source file into functions, statements and expressions."""
        return parse(text, language)

    def expression(self, text: str, language: str) -> Expression:
        """Parse the text of one expression. Raises SyntaxRefused if it cannot be read."""
        return parse_expression(text, language)

    def frames(self, rows: list[dict[str, Any]]) -> list[StackFrame]:
        """Convert DAP stack frames to StackFrames with clean function names."""
        return frame_folding.frames_of(rows)


GRAMMAR = NativeGrammar()


def unit_of(source: SourceFile | None) -> ParsedFile | None:
    """Return the parsed file of a source, or None if there is no source or no grammar is installed."""
    unit = source.unit if source else None
    return unit if isinstance(unit, ParsedFile) else None


def function_at(source: SourceFile | None, line: int) -> Function | None:
    """Return the innermost function that contains the line, or None."""
    unit = unit_of(source)
    return unit.function_at(line) if unit else None

"""Effects of one simple command, before its paths are made absolute."""

from __future__ import annotations

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite
from dap_ai.debuggees.runs.analysis.rule_tables import Does


class Deed(msgspec.Struct):
    """Effects of one simple command."""

    does: Does = "neutral"
    names: list[str] = []
    reads: list[str] = []
    writes: list[FileWrite] = []
    executes: list[str] = []
    runner: str = ""
    code: str = ""
    script: str | None = None
    """Text to be run by a shell, or None."""
    cd: str | None = None
    within: str = ""
    """Directory to which its paths are relative (`git -C`, `make -C`)."""

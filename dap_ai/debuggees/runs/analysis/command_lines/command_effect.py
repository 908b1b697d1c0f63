"""Effects of one simple shell command, with paths as the command writes them."""

from __future__ import annotations

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite
from dap_ai.debuggees.runs.analysis.rule_tables import Does


class Deed(msgspec.Struct):
    """Effects of one simple shell command."""

    does: Does = "neutral"
    names: list[str] = []
    reads: list[str] = []
    writes: list[FileWrite] = []
    executes: list[str] = []
    runner: str = ""
    code: str = ""
    script: str | None = None
    """Shell text that the command runs, or None."""
    cd: str | None = None
    within: str = ""
    """Directory to which the paths are relative (`git -C`, `make -C`)."""

"""What one simple command does, before its paths are placed."""

from __future__ import annotations

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite
from dap_ai.debuggees.runs.analysis.rule_tables import Does


class Deed(msgspec.Struct):
    """What one simple command does."""

    does: Does = "neutral"
    names: list[str] = []
    reads: list[str] = []
    writes: list[FileWrite] = []
    executes: list[str] = []
    runner: str = ""
    code: str = ""
    script: str | None = None
    """Text for a shell to run."""
    cd: str | None = None
    within: str = ""
    """A directory that its own paths start from (`git -C`, `make -C`)."""

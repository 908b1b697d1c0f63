"""How a real editor is found and run: with no settings but the docs' own, and for a bounded time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.patience import at_worst

TIMEOUT_S = at_worst(100.0)
WAIT_S = at_worst(20.0)
"""For one thing that an editor waits for; its script has it as $WAIT_MS."""


def find_program(variable: str, name: str) -> str:
    """The program that the variable names, else the one on PATH; "" if there is none."""
    return shutil.which(os.environ.get(variable) or name) or ""


def find_folder(variable: str, holds: str, *patterns: str) -> Path | None:
    """The folder that the variable names, else the first of `patterns` below the home folder that holds this file."""
    named = os.environ.get(variable)
    usual = (found for pattern in patterns for found in sorted(Path.home().glob(pattern)))
    return next((each for each in ([Path(named)] if named else usual) if (each / holds).exists()), None)


def run_editor(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> dict[str, Any]:
    """Runs an editor to its end in `folder`; what its script has written to $SEEN. `dap-ai` is on its PATH."""
    seen = folder / "seen.json"
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "FOLDER": str(folder),
        "SEEN": str(seen),
        "TERM": "dumb",
        "WAIT_MS": str(round(WAIT_S * 1000)),
        **variables,
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S
    )
    said = (done.stdout + done.stderr).decode(errors="replace")
    found = json.loads(seen.read_text(encoding="utf-8")) if seen.exists() else {"failed": "nothing was written"}
    assert "failed" not in found, f"{found}\n{said}"
    assert done.returncode == 0, said
    return found

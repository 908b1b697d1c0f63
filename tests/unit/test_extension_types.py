"""The VS Code extension's types are those of protocol/ask.py."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT
from tests.patience import patient


def test_the_extensions_types_are_up_to_date():
    script = ROOT / "vscode-extension" / "scripts" / "generate_protocol.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=patient(60))
    assert done.returncode == 0, f"run: python {script.relative_to(ROOT)}\n{done.stderr}"

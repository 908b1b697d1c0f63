"""What the VS Code extension and the docs say of messages and tools is what dap_ai itself says of them."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT
from tests.patience import patient


def test_what_is_made_from_dap_ai_is_up_to_date():
    script = ROOT / "vscode-extension" / "scripts" / "generate_protocol.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=patient(60))
    assert done.returncode == 0, f"run: python {script.relative_to(ROOT)}\n{done.stdout}{done.stderr}"

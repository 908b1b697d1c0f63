"""No module of ours needs a POSIX-only one to be imported: Windows has none of them."""

from __future__ import annotations

import subprocess
import sys

from tests.patience import patient

SCRIPT = """
import importlib, pkgutil, sys
import anyio, asyncio, click, msgspec, pathlib, platformdirs, psutil, rich.console, rich.live, subprocess  # know what they do
for name in ("fcntl", "termios", "tty", "pty", "resource", "grp", "pwd"):
    sys.modules[name] = None  # what an import of it then raises is ImportError
import dap_ai
for module in pkgutil.walk_packages(dap_ai.__path__, "dap_ai."):
    if not module.name.endswith((".__main__", ".shim")):
        importlib.import_module(module.name)
print("imported")
"""


def test_every_module_is_imported_without_posix_only_modules():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=patient(60))
    assert done.stdout.strip() == "imported", done.stderr

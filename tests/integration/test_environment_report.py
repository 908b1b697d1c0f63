"""debugpy reads the metadata of all installed packages for its log: only where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

PROGRAM = "import sys; print(__name__, sys.argv[0] == __file__, sys.path[0] in __file__)\n"
WATCH = """
import sys
def hook(event, arguments):
    if event == "open" and str(arguments[0]).endswith("METADATA"):
        with open({told!r}, "a") as told:
            told.write(" ".join(sys.orig_argv) + "\\n")
sys.addaudithook(hook)
"""
"""What every Python of a session tells of the metadata that it opens."""


@pytest.fixture
def readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Command lines of debugpy's processes, one for each file of metadata that they have opened."""
    (tmp_path / "program.py").write_text(PROGRAM)
    hooks, told = tmp_path / "hooks", tmp_path / "told"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(WATCH.format(told=str(told)))
    monkeypatch.setenv("PYTHONPATH", str(hooks))
    return lambda: [line for line in told.read_text().splitlines() if "debugpy" in line] if told.exists() else []


@pytest.mark.parametrize("safe", ["", "1"])
def test_a_program_starts_without_it_and_finds_what_it_would_find(run_dap_ai, tmp_path: Path, readers, safe: str):
    done = run_dap_ai("ask", "--env", f"PYTHONSAFEPATH={safe}", "program.py", cwd=tmp_path)
    assert done.stdout.split() == [b"__main__", b"True", b"False" if safe else b"True"], done.stderr
    assert readers() == []


def test_a_log_has_it(run_dap_ai, tmp_path: Path, readers, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DEBUGPY_LOG_DIR", str(tmp_path / "logs"))
    run_dap_ai("ask", "program.py", cwd=tmp_path)
    logs = [path for path in (tmp_path / "logs").iterdir() if "Installed packages" in path.read_text()]
    assert sorted(path.name.split("-")[0] for path in logs) == ["debugpy.adapter", "debugpy.launcher", "debugpy.server"]
    assert readers()

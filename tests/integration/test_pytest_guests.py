"""`pytest --ask` is a guest: beside other plugins and under any patch, the run is the one without it, plus answers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, TESTS
from tests.patience import patient

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
PROJECT = TESTS / "debuggees" / "guests"
PLUGINS = ROOT / ".venvs" / "pytest-plugins"
DAP_AI = ["-p", "dap_ai.debuggees.python.hosts.testing.plugin"]
ANSWER, RAN_AGAIN = "`mean(", ")` returned `"
CASES = {
    "alone": (["test_plain.py"], []),
    "unittest": (["test_cases.py"], []),
    "pytest-socket": (["test_sockets.py"], ["-p", "pytest_socket", "--disable-socket"]),
    "pyfakefs": (["test_files.py"], ["-p", "pyfakefs.pytest_plugin"]),
    "freezegun": (["test_clock.py"], []),
    "pytest-randomly": (["test_shuffled.py", "test_plain.py"], ["-p", "pytest_randomly", "--randomly-seed=7"]),
    "pytest-timeout": (["test_limits.py"], ["-p", "pytest_timeout", "--ask-time=4"]),
    "pytest-timeout's threads": (
        ["test_case_limits.py", "test_limits.py"],
        ["-p", "pytest_timeout", "--timeout-method=thread", "-k", "not slow"],
    ),
    "pytest-cov": (["test_plain.py"], ["-p", "pytest_cov", "--cov=.", "--cov-report=json:coverage.json"]),
    "pytest-xdist": (["test_plain.py", "test_clock.py"], ["-p", "xdist.plugin", "-n2"]),
    "pytest-asyncio": (["test_async.py"], ["-p", "pytest_asyncio.plugin"]),
    "pytest-trio": (["test_nursery.py"], ["-p", "pytest_trio.plugin"]),
}


@pytest.fixture(scope="session")
def plugins():
    """The folder that the other plugins are installed in."""
    found = list(PLUGINS.glob("lib/python*/site-packages"))
    if not found:
        pytest.skip("no plugins of pytest's here: run dev.py test")
    return found[0]


class Run:
    """One run of a copy of the project, and what it left."""

    def __init__(self, plugins: Path, folder: Path, *arguments: str) -> None:
        self.project, self.temporary = folder / "project", folder / "tmp"
        shutil.copytree(PROJECT, self.project)
        self.temporary.mkdir()
        (self.project / "pytest.ini").write_text("[pytest]\nmarkers =\n  timeout\n  enable_socket\n", encoding="utf-8")
        environ = {
            **os.environ,
            "PYTHONPATH": str(plugins),
            "TMPDIR": str(self.temporary),
            "OBSERVED": str(folder / "observed.json"),
        }
        options = ["-p", "no:cacheprovider", "--basetemp", str(folder / "basetemp")]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *DAP_AI, *options, *arguments],
            cwd=self.project,
            env=environ,
            check=False,
            capture_output=True,
            text=True,
            timeout=patient(120.0),
        )
        self.exit_code, self.output = done.returncode, done.stdout + done.stderr
        assert (folder / "observed.json").exists(), f"ended with {self.exit_code}: {self.output}"
        text = (folder / "observed.json").read_text(encoding="utf-8")
        self.text = re.sub(r"( at 0x|popen-gw)[0-9a-f]+", r"\1", text.replace(str(folder), ""))

    def observed(self, *, in_order: bool) -> dict[str, object]:
        """What has to be the same with `--ask`."""
        seen = json.loads(self.text)
        del seen["environment"]["OBSERVED"]
        if not in_order:
            seen["reports"].sort()
            seen["warnings"].sort()
        left = [str(path.relative_to(self.temporary)) for path in self.temporary.rglob("*")]
        files = sorted(str(path.relative_to(self.project)) for path in self.project.rglob("*"))
        return {"exit code": self.exit_code, "left": left, "files": files, "coverage": self._coverage(), **seen}

    def _coverage(self) -> object:
        file = self.project / "coverage.json"
        return json.loads(file.read_text(encoding="utf-8"))["files"] if file.exists() else None


@pytest.mark.parametrize("name", CASES)
def test_a_run_that_asks_is_the_run_that_does_not(name, plugins, tmp_path):
    files, options = CASES[name]
    plain = Run(plugins, tmp_path / "plain", *files, *options)
    asked = Run(plugins, tmp_path / "asked", *files, "--ask-time=30", *options, "--ask")
    in_order = name != "pytest-xdist"
    assert asked.observed(in_order=in_order) == plain.observed(in_order=in_order)
    assert plain.exit_code == 1
    assert ANSWER in asked.output and RAN_AGAIN in asked.output, asked.output
    assert "dap_ai could not" not in asked.output


def test_no_function_that_a_test_replaces_is_one_of_ours(plugins, tmp_path):
    """Every function of each module that the plugin imports, one test in which all of them notice who calls."""
    plain = Run(plugins, tmp_path / "plain", "test_reached.py")
    asked = Run(plugins, tmp_path / "asked", "test_reached.py", "--ask", "--ask-time=30")
    assert asked.observed(in_order=True) == plain.observed(in_order=True)
    assert ANSWER in asked.output, asked.output
    assert len((asked.project.parent / "replaced.txt").read_text(encoding="utf-8").split()) > 500
    reached = (asked.project.parent / "reached.txt").read_text(encoding="utf-8").split()
    assert sorted(set(reached)) == []


@pytest.mark.parametrize(
    ("options", "words", "count"),
    [
        (["--ask=full", "--ask-time=30"], RAN_AGAIN, 11),
        (["--ask", "--ask-time=0.001"], "There was no time for more", 3),
    ],
)
def test_neither_what_a_test_replaces_nor_too_short_a_time_ends_a_run(options, words, count, plugins, tmp_path):
    plain = Run(plugins, tmp_path / "plain", "test_patched.py")
    asked = Run(plugins, tmp_path / "asked", "test_patched.py", *options)
    assert asked.observed(in_order=True) == plain.observed(in_order=True)
    assert asked.output.count(words) >= count, asked.output
    assert "dap_ai could not" not in asked.output


def test_what_goes_wrong_in_a_hook_of_ours_is_a_line_of_the_summary(plugins, tmp_path):
    plain = Run(plugins, tmp_path / "plain", "test_plain.py")
    asked = Run(plugins, tmp_path / "asked", "test_plain.py", "--ask", "--ask-time=30", "--ask-json=/dev/full")
    assert asked.observed(in_order=True) == plain.observed(in_order=True)
    assert (
        "dap_ai could not write what was found: OSError: [Errno 28] No space left on device (3 times)." in asked.output
    )

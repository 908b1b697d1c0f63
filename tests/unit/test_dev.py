"""dev.py's part for the VS Code extension."""

from __future__ import annotations

import importlib.util
import subprocess
import threading
from collections.abc import Sequence
from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.unit.test_in_process import FOLDERS


@pytest.fixture
def dev():
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def npm(dev: ModuleType, monkeypatch: pytest.MonkeyPatch):
    """An npm that does nothing; the commands that it was given. Those in `failing` fail."""
    ran = Npm()

    def lacks(_part: str) -> str:
        return ""

    monkeypatch.setattr(dev, "npm", ran)
    monkeypatch.setattr(dev, "set_up_node", lambda: None)
    monkeypatch.setattr(dev, "lacks", lacks)
    return ran


class Npm:
    """See above."""

    def __init__(self) -> None:
        self.scripts: list[str] = []
        self.failing: Sequence[str] = ()

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        script = arguments[-1]
        self.scripts.append(script)
        said = "dap-ai.vsix: 130 KB\na native program # there is no lldb-dap\nnoise\n"
        return subprocess.CompletedProcess(arguments, int(script in self.failing), said)


def test_a_part_is_its_scripts(dev: ModuleType, npm: Npm):
    assert dev.check_extension(["unit", "e2e"]) == 0
    assert npm.scripts == ["e2e:install", "typecheck", "lint", "test:unit", "test:e2e"]


def test_the_first_check_that_fails_is_the_last(dev: ModuleType, npm: Npm, capsys: pytest.CaptureFixture[str]):
    npm.failing = ["lint"]
    assert dev.check_extension(dev.PARTS) == 1
    assert npm.scripts == ["e2e:install", "typecheck", "lint"]
    assert "noise" in capsys.readouterr().out


def test_without_vs_code_the_other_parts_are_checked(dev: ModuleType, npm: Npm, capsys: pytest.CaptureFixture[str]):
    npm.failing = ["e2e:install"]
    assert dev.check_extension(dev.PARTS) == 0
    assert "e2e: SKIPPED, because VS Code could not be installed: noise" in capsys.readouterr().out
    assert "test:e2e" not in npm.scripts and "test:view" in npm.scripts


def test_tests_left_out_and_the_size_are_shown_of_a_run_that_passes(
    dev: ModuleType, npm: Npm, capsys: pytest.CaptureFixture[str]
):
    assert dev.check_extension(["view"]) == 0
    said = capsys.readouterr().out
    assert "dap-ai.vsix: 130 KB" in said
    assert "there is no lldb-dap" in said
    assert "noise" not in said
    assert npm.scripts == ["test:view"]


def test_what_is_missing_is_named_and_skipped(
    dev: ModuleType, npm: Npm, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def lacks(part: str) -> str:
        return "" if part == "unit" else "Chromium"

    monkeypatch.setattr(dev, "lacks", lacks)
    assert dev.check_extension(dev.PARTS) == 0
    assert "e2e: SKIPPED, because there is no Chromium" in capsys.readouterr().out
    assert npm.scripts == ["typecheck", "lint", "test:unit"]


@pytest.mark.parametrize("version", ["", "v18.20.4"])
def test_without_a_node_that_is_new_enough_all_is_left_out(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, version: str
):
    def which(name: str) -> str:
        return f"/bin/{name}"

    def quiet(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, version)

    monkeypatch.setattr(dev.shutil, "which", which)
    monkeypatch.setattr(dev, "quiet", quiet)
    assert all(dev.lacks(part).startswith("Node 20") for part in dev.PARTS)


def test_an_unknown_part_is_refused(dev: ModuleType, npm: Npm, capsys: pytest.CaptureFixture[str]):
    assert dev.extension(["everything"]) == 2
    assert "everything" in capsys.readouterr().err
    assert npm.scripts == []


def test_every_script_that_runs_is_in_the_extensions_package(dev: ModuleType):
    package = (ROOT / "vscode-extension" / "package.json").read_text(encoding="utf-8")
    assert all(f'"{script}":' in package for part in dev.PARTS for script in dev.checks_of(part))


@pytest.mark.parametrize(("suite", "e2e", "code"), [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
def test_a_whole_run_is_all_parts_and_the_suite_whichever_fails(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, suite: int, e2e: int, code: int
):
    ran: list[str] = []

    def quiet(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, "")

    def check_extension(parts: Sequence[str]) -> int:
        ran.extend(parts)
        return e2e if "e2e" in parts else 0

    def run_suite(_arguments: Sequence[str]) -> int:
        ran.append("suite")
        return suite

    for name, fake in {"quiet": quiet, "check_extension": check_extension, "pytest": run_suite}.items():
        monkeypatch.setattr(dev, name, fake)
    monkeypatch.setattr(dev, "setup", ran.extend)
    assert dev.test([]) == code
    assert sorted(ran) == ["e2e", "suite", "unit", "view"]


def test_after_a_check_of_the_sources_that_fails_nothing_long_is_started(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
):
    ran: list[str] = []

    def quiet(command: Sequence[object]) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(list(map(str, command)), int("pyright" in str(command[0])), "")

    def check_extension(parts: Sequence[str]) -> int:
        ran.extend(parts)
        return 0

    for name, fake in {"quiet": quiet, "check_extension": check_extension, "pytest": ran.extend}.items():
        monkeypatch.setattr(dev, name, fake)
    monkeypatch.setattr(dev, "setup", ran.extend)
    assert dev.test([]) == 1
    assert ran == ["unit"]


@pytest.mark.parametrize(("ready", "order"), [(False, ["unit", "setup"]), (True, ["setup", "unit"])])
def test_the_extension_is_checked_beside_the_first_set_up_and_after_the_quick_checks_of_a_later_run(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, ready: bool, order: list[str]
):
    ran: list[str] = []
    begun = threading.Event()

    def check_extension(_parts: Sequence[str]) -> int:
        ran.append("unit")
        begun.set()
        return 1

    def setup(_arguments: Sequence[str]) -> None:
        assert ready or begun.wait(10)
        ran.append("setup")

    def is_set_up(_extra: str) -> bool:
        return ready

    def check(_name: str, _command: Sequence[object]) -> int:
        return 0

    fakes = {"check_extension": check_extension, "setup": setup, "is_set_up": is_set_up, "check": check}
    for name, fake in fakes.items():
        monkeypatch.setattr(dev, name, fake)
    assert dev.test([]) == 1
    assert ran == order


def test_what_is_compiled_before_the_tests_is_there_and_holds_all_that_lies_in_users_processes(dev: ModuleType):
    compiled = [f"dap_ai/{each}" for each in dev.IN_PROCESS]
    assert all((ROOT / each).exists() for each in compiled)
    assert all(any(folder.startswith(each) for each in compiled) for folder in FOLDERS)

"""A Python of our own: what it imports, whatever folder it is started in, and what it leaves as it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dap_ai
from dap_ai.system import child_python, programs
from tests.conftest import ROOT
from tests.hostile_folder import HostileFolder
from tests.patience import patient

PROBE = "probe_of_a_test"
PROBE_TEXT = """
import json, os, sys, typing
def main():
    import dap_ai
    print(json.dumps({"path": sys.path, "argv": sys.argv, "environ": dict(os.environ), "dap_ai": dap_ai.__file__}))
"""
STARTED = """
import subprocess, sys
from dap_ai.debuggees.python.hosts import child_python
sys.exit(subprocess.run(child_python.command({function!r}, {argument!r})).returncode)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> HostileFolder:
    return HostileFolder(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def probes(tmp_path: Path) -> Path:
    """A folder with a module that says what it finds."""
    place = tmp_path / "probes"
    place.mkdir()
    (place / f"{PROBE}.py").write_text(PROBE_TEXT, encoding="utf-8")
    return place


def started(parent: list[str], cwd: Path, **environment: str) -> dict[str, Any]:
    """What the child of such a Python finds."""
    script = STARTED.format(function=f"{PROBE}:main", argument="an argument")
    command = [*parent, "-c", f"import sys; sys.path[:] = filter(None, sys.path){script}"]
    environ = os.environ | environment
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=patient(60.0))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_imports_nothing_from_its_folder_and_finds_what_this_python_finds(folder: HostileFolder, probes: Path):
    found = started([sys.executable], folder.path, PYTHONPATH=str(probes))
    assert not folder.marks()
    assert found["argv"] == ["dap-ai", "an argument"]
    assert found["path"][0] == str(probes) and str(folder.path) not in found["path"]
    assert found["dap_ai"] == dap_ai.__file__


@pytest.mark.parametrize("entry", ["", ".", "..", "opened"])
def test_a_relative_entry_of_pythonpath_is_not_its_own_but_stays_for_programs_that_it_starts(
    entry: str, folder: HostileFolder, probes: Path
):
    both = os.pathsep.join([entry, str(probes)])
    command = child_python.command(f"{PROBE}:main")
    command[command.index(f"{PROBE}:main") :] = [f"--path={probes}", f"{PROBE}:main"]
    cwd = folder.path.parent if entry == "opened" else folder.path
    done = subprocess.run(command, cwd=cwd, env=os.environ | {"PYTHONPATH": both}, capture_output=True)
    assert not folder.marks() and done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not {"", ".", str(cwd), str(folder.path)} & set(found["path"])
    assert found["environ"]["PYTHONPATH"] == both


def test_of_pythonpath_only_absolute_folders_that_this_python_has_are_handed_over(monkeypatch: pytest.MonkeyPatch):
    both = [folder for folder in sys.path if Path(folder).is_absolute()][:2]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([".", both[0], "", f"{both[1]}{os.sep}", "/of/another", "sub"]))
    assert f"--path={os.pathsep.join(both)}" in child_python.command("m:f")
    monkeypatch.setenv("PYTHONPATH", ".")
    assert not [word for word in child_python.command("m:f") if word.startswith("--path")]


def test_variables_that_change_python_do_not_change_it(folder: HostileFolder):
    odd = {"PYTHONWARNINGS": "error", "PYTHONINSPECT": "1", "PYTHONOPTIMIZE": "2", "PYTHONSTARTUP": "json.py"}
    command = child_python.command("dap_ai.cli:main", "--version")
    done = subprocess.run(command, cwd=folder.path, env=os.environ | odd, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[:1]) == (0, ["dap-ai,"]), done.stderr


@pytest.mark.parametrize("way", ["PYTHONPATH", "user site"])
def test_dap_ai_and_what_it_needs_may_be_on_pythonpath_or_in_the_user_site(
    way: str, folder: HostileFolder, tmp_path: Path
):
    """By a Python that has nothing installed: the one that made this environment."""
    base = Path(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info))
    packages = next(Path(place) for place in sys.path if place.endswith("site-packages"))
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(packages)])}
    if way == "user site":
        environ = {**os.environ, "PYTHONUSERBASE": str(tmp_path)}
        site = [str(base), "-c", "import site; print(site.getusersitepackages())"]
        user = Path(subprocess.run(site, env=environ, capture_output=True, text=True).stdout.strip())
        user.mkdir(parents=True)
        (user / "here.pth").write_text(f"{ROOT}\n{packages}\n", encoding="utf-8")
    script = tmp_path / "dap-ai"
    script.write_text("from dap_ai.cli import main\nmain()\n", encoding="utf-8")
    run = ROOT / "examples" / "runs" / "discount.traj.json"
    words = [str(base), str(script), "ask", "--provider", "offline", "--run", str(run)]
    done = subprocess.run(words, cwd=folder.path, env=environ, capture_output=True, text=True, timeout=patient(60.0))
    assert done.returncode == 0, done.stderr
    assert not folder.marks()


def test_programs_of_the_current_folder_are_not_found(folder: HostileFolder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder.path)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", os.environ["PATH"], ".venv/bin"]))
    assert shutil.which("clangd") == "./clangd"
    assert programs.locate("rust-analyzer", ".") is None
    assert programs.locate("sh") in {"/bin/sh", "/usr/bin/sh"}
    assert programs.locate("./git") == "./git"
    assert "" not in programs.search_path().split(os.pathsep)

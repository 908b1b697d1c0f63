"""`dap-ai pytest`: a project's own Python and pytest, in which nothing of ours is installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.patience import patient
from tests.unit.test_in_process import FOLDERS, modules_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
STATS = """\
def mean(xs):
    total = 0
    for x in xs:
        total += x
    return total / (len(xs) - 1)
"""
TESTS = """\
import importlib.util, json, os, subprocess, sys
from stats import mean

def test_mean():
    assert mean([1, 2, 3]) == 2

def test_nothing_that_dap_ai_needs_is_to_be_seen():
    assert [name for name in ("msgspec", "rich", "anyio", "dap_ai.commands") if importlib.util.find_spec(name)] == []

def test_surroundings():
    child = [sys.executable, "-c", "import json, os, sys; print(json.dumps([sys.path, dict(os.environ)]))"]
    ran = json.loads(subprocess.run(child, stdout=subprocess.PIPE, check=True).stdout)
    main = getattr(sys.modules["__main__"].__spec__, "name", "")
    seen = {"argv": sys.argv[0], "path": sys.path, "child": ran, "main": main}
    with open(os.environ["SURROUNDINGS"], "w") as file:
        json.dump(seen, file)
"""
ANSWER = "`mean([1, 2, 3])` is `3.0`, not `2` at `test_stats.py:5`."
DAP_AI = [Path(sys.executable).with_name("dap-ai"), "pytest"]
QUICK = ["-p", "no:cacheprovider", "--ask-time=30"]


def prepared(version):
    python = ROOT / ".venvs" / f"py{version}" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no Python {version} here")
    return python


@pytest.fixture(scope="module", params=["3.8", "3.9", "3.15"])
def project_python(request):
    """The oldest and the newest, and 3.9, whose pytest is older than that of those after it."""
    return prepared(request.param)


@pytest.fixture(scope="module")
def oldest():
    """With pins that dap_ai would replace."""
    return prepared("3.8")


@pytest.fixture(scope="module")
def newer():
    return prepared("3.12")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "stats.py").write_text(STATS)
    (folder / "test_stats.py").write_text(TESTS)
    return folder


def run(command, folder, **options):
    left_out = ("VIRTUAL_ENV", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "CONDA_PREFIX", "PYTHONPATH")
    environ = {name: text for name, text in os.environ.items() if name not in left_out}
    environ |= {"SURROUNDINGS": str(folder.parent / "surroundings.json"), **options.pop("env", {})}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=patient(120.0),
        check=False,
        **options,
    )


def surroundings(folder):
    return json.loads((folder.parent / "surroundings.json").read_text())


def files_in(folder):
    return {str(file) for file in folder.rglob("*") if "__pycache__" not in file.parts}


def test_a_failure_is_explained_and_nothing_is_left_in_the_project_or_its_python(project, project_python):
    installed = project_python.parent.parent
    before = files_in(project) | files_in(installed)
    done = run([*DAP_AI, "--python", project_python, *QUICK], project)
    assert ANSWER in done.stdout, done.stdout + done.stderr
    assert "1 failed, 2 passed" in done.stdout
    assert done.returncode == 1
    assert files_in(project) | files_in(installed) == before


def test_the_pins_of_the_project_are_what_its_tests_import(project, oldest):
    (project / "test_pins.py").write_text(
        "import click, pydantic, pytest\ndef test_pins():\n"
        "    pins = click.__version__, pydantic.VERSION, pytest.__version__\n"
        "    assert pins == ('7.1.2', '1.10.24', '6.2.5')\n"
    )
    freeze = [oldest, "-m", "pip", "freeze", "--all"]
    before = run(freeze, project).stdout
    done = run([*DAP_AI, "--python", oldest, *QUICK, "test_pins.py"], project)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert run(freeze, project).stdout == before != ""


@pytest.mark.parametrize(("python", "path"), [("oldest", {}), ("newer", {"PYTHONPATH": "/no/such/folder"})])
def test_a_test_sees_what_it_sees_in_a_run_without_us(project, python, path, request):
    python = request.getfixturevalue(python)
    chosen = [*QUICK[:2], "-k", "surroundings"]
    run([python, "-m", "pytest", *chosen], project, env=path)
    plain = surroundings(project)
    run([*DAP_AI, "--python", python, *chosen], project, env=path)
    ours = surroundings(project)
    assert ours["path"][:-1] == plain["path"]
    assert [Path(file).name for file in files_in(Path(ours["path"][-1]))] == ["dap_ai_pytest.py"]
    for key in ("argv", "child", "main"):
        assert ours[key] == plain[key]


def test_a_doctest_is_explained_in_the_oldest_python(project, oldest):
    (project / "stats.py").write_text(f'"""\n>>> mean([1, 2, 3])\n2.0\n"""\n{STATS}')
    done = run([*DAP_AI, "--python", oldest, *QUICK, "--doctest-modules", "stats.py"], project)
    assert "`mean([1, 2, 3])` is `3.0`, not `2.0` at `stats.py:2`" in done.stdout, done.stdout + done.stderr


def test_the_oldest_python_imports_whatever_runs_in_a_process_of_the_users(oldest, tmp_path):
    files = [file for folder in FOLDERS for file in modules_of(folder) if folder_is_package(file)]
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts).replace(".__init__", "") for file in files]
    code = f"import sys; sys.path.append({str(ROOT)!r})\nfor name in {names!r}: __import__(name)"
    done = run([oldest, "-c", code], tmp_path)
    assert done.stderr == ""
    assert len(names) > 100


def folder_is_package(file):
    return (file.parent / "__init__.py").exists()


def test_each_worker_of_xdist_asks_by_itself(project, oldest):
    done = run([*DAP_AI, "--python", oldest, *QUICK, "-n2"], project)
    assert ANSWER in done.stdout, done.stdout + done.stderr
    assert "1 failed, 2 passed" in done.stdout


def test_what_is_covered_is_what_is_covered_without_us_in_workers_too(project, newer):
    covered = ["-p", "no:cacheprovider", "--cov", "-n2"]
    plain = run([newer, "-m", "pytest", *covered], project).stdout
    ours = run([*DAP_AI, "--python", newer, *covered, "--ask-time=30"], project).stdout
    table = re.compile(r"^Name .*?^TOTAL.*?$", re.MULTILINE | re.DOTALL)
    assert ANSWER in ours
    assert table.search(ours)[0] == table.search(plain)[0]


def test_the_process_input_and_exit_code_are_those_of_pytest(project, newer):
    (project / "test_input.py").write_text(
        "import sys, os\ndef test_input():\n    sys.stderr.write(f'{os.getpid()} {sys.stdin.read()}')\n"
    )
    environ = {**os.environ, "SURROUNDINGS": os.devnull}
    command = [*map(str, DAP_AI), "--python", str(newer), *QUICK, "-s", "test_input.py"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=project, env=environ, text=True, **pipes)
    _, said = process.communicate("typed", timeout=patient(60.0))
    assert said == f"{process.pid} typed"
    assert process.returncode == 0
    assert run([*DAP_AI, "--python", newer, *QUICK, "-k", "no_such_test"], project).returncode == 5


@pytest.mark.parametrize(("workers", "autoload"), [(["-n2"], {}), ([], {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})])
def test_a_project_that_has_dap_ai_itself_is_asked_once(project, workers, autoload):
    done = run([*DAP_AI, "--python", sys.executable, *QUICK, *workers, "-k", "mean"], project, env=autoload)
    assert done.stdout.count(ANSWER) == 1, done.stdout + done.stderr


def test_a_folder_that_is_called_like_the_package_is_no_package(project, newer):
    (project / "dap_ai").mkdir()
    assert ANSWER in run([*DAP_AI, "--python", newer, *QUICK], project).stdout


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    """dap_ai in an environment of its own, without pytest, as `uvx` and `pipx` make it."""
    folder = tmp_path_factory.mktemp("tool")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip())
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(("pytest", "_pytest")):
            (packages / entry.name).symlink_to(entry)
    return python


def test_a_tool_in_an_environment_of_its_own_takes_the_projects_python(project, tool, newer):
    """uvx puts the scripts of that environment first on PATH."""
    path = os.pathsep.join([str(tool.parent), str(newer.parent), os.environ["PATH"]])
    done = run([tool, "-m", "dap_ai", "pytest", *QUICK], project, env={"PATH": path})
    assert ANSWER in done.stdout, done.stdout + done.stderr
    _, environ = surroundings(project)["child"]
    assert environ["PATH"] == path.partition(os.pathsep)[2]


def test_without_pytest_the_python_is_named_and_what_to_do(project, tool):
    done = run(DAP_AI, project, env={"VIRTUAL_ENV": str(tool.parent.parent)})
    assert f"pytest is not installed in {tool} (the active virtual environment). Install it there" in done.stderr
    assert "dap-ai pytest --python PATH" in done.stderr
    assert done.returncode == 4

"""The options of `pytest --ask` with a blank before their value: pytest's rootdir, settings and conftests stay."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.patience import patient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
_QUICK = [word for name in ("cacheprovider", "anyio", "hypothesispytest", "xdist") for word in ("-p", f"no:{name}")]
SHOWN = """\
def pytest_report_header(config):
    options = config.option
    return ["SEEN " + repr((config.rootpath.name, config.inipath.name, config.getini("markers")[:1], config.args))]
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Below `work`, where there are files and folders of the names that the options are given."""
    project = tmp_path_factory.mktemp("work") / "project"
    (project / "tests").mkdir(parents=True)
    (project / "pytest.ini").write_text("[pytest]\naddopts = -m own\nmarkers = own: of this project\n")
    (project / "conftest.py").write_text(SHOWN)
    (project / "tests/conftest.py").write_text("def pytest_report_header():\n    return 'SEEN tests'\n")
    (project / "tests/test_it.py").write_text(
        "import pytest\n@pytest.mark.own\ndef test_own():\n    assert 1 == 2\n\ndef test_other():\n    pass\n"
    )
    (project / "worker").mkdir()
    (project / "worker/test_worker.py").write_text(
        "def test_worker(request):\n    config = request.config\n"
        "    assert (config.rootpath.name, config.inipath.name) == ('project', 'pytest.ini')\n"
    )
    for folder in ("reports", "3", "full"):
        (project.parent / folder).mkdir()
        (project.parent / folder / "pytest.ini").write_text("[pytest]\n")
    for name in ("out.json", "out.patch"):
        (project.parent / "reports" / name).write_text("")
    for name in ("3", "full"):
        (project / name).symlink_to(project.parent / name)
    return project


def run(project, *arguments, added="", quick=_QUICK):
    environ = {name: value for name, value in os.environ.items() if name != "PYTEST_DISABLE_PLUGIN_AUTOLOAD"}
    command = [sys.executable, "-m", "pytest", *quick, *arguments]
    environ |= {"PYTEST_ADDOPTS": added} if added else {}
    done = subprocess.run(
        command, cwd=project, env=environ, check=False, capture_output=True, text=True, timeout=patient(120.0)
    )
    words = ("SEEN", "rootdir", "collected", "<")
    return done.returncode, [line for line in done.stdout.splitlines() if line.strip().startswith(words)]


@pytest.fixture(scope="module")
def plain(project):
    return {paths: run(project, "--collect-only", *paths) for paths in ((), ("tests",))}


def test_without_them_the_project_is_found(plain):
    code, lines = plain["tests",]
    assert code == 0
    assert any("'project', 'pytest.ini', ['own: of this project']" in line for line in lines)
    assert "SEEN tests" in lines
    assert "collected 2 items / 1 deselected / 1 selected" in lines


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (("--ask-json", "../reports/out.json"), ()),
        (("--ask-fix", "../reports/out.patch"), ()),
        (("--ask-time", "3"), ()),
        (("--ask", "full"), ()),
        (("--ask", "full", "--ask-time", "3", "--ask-json", "../reports/out.json"), ("tests",)),
    ],
    ids=["json", "fix", "time", "mode", "all_with_a_path"],
)
def test_a_value_after_a_blank_moves_nothing(project, plain, words, paths):
    assert run(project, "--collect-only", *words, *paths) == plain[paths]


def test_nor_does_one_that_the_environment_adds(project, plain):
    assert run(project, "--collect-only", added="--ask-json '../reports/out.json'") == plain[()]


def test_the_exit_code_is_that_of_the_run_and_what_was_asked_for_is_written(project, plain):
    file = project.parent / "reports/out.json"
    assert run(project, "--ask-json", "../reports/out.json", "--ask-time", "30")[0] == 1
    assert '"nodeid": "tests/test_it.py::test_own"' in file.read_text(encoding="utf-8")
    assert run(project, "--ask-json", "../reports/out.json", "-k", "none")[0] == pytest.ExitCode.NO_TESTS_COLLECTED


def test_xdists_workers_have_the_same_rootdir_where_the_file_is_only_written_by_this_run(project):
    options = ("--ask-json", "../reports/new.json", "--ask-time", "30", "--override-ini=addopts=", "worker")
    code, lines = run(project, "-n1", "--max-worker-restart=0", *options, quick=_QUICK[:-2])
    assert code == 0, lines

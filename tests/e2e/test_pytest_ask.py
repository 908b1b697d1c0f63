"""`pytest --ask`, as its user sees it: each failing test is stopped at its failure, and answered."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dap_ai.debuggees.python.hosts.testing.failure_findings import SAME
from tests.conftest import TESTS
from tests.patience import patient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
PROJECT = TESTS / "debuggees" / "asked"


def line_of(name, text):
    """1-based."""
    lines = (PROJECT / name).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--ask-time", "30"]
SECTION = "why (dap-ai)"
LOSING = f"saved.py:{line_of('saved.py', '- 1')}"
FAULTY = f"stats.py:{line_of('stats.py', '(len(xs) - 1)')}"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder of its own: no conftest of ours is above it."""
    folder = tmp_path_factory.mktemp("asked") / "project"
    shutil.copytree(PROJECT, folder)
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return folder


def environ():
    """With plugins, of which ours is one."""
    return {name: value for name, value in os.environ.items() if name != "PYTEST_DISABLE_PLUGIN_AUTOLOAD"}


def started(project, command, **options):
    more = {"capture_output": True, "text": True, "timeout": patient(120.0), **options}
    return subprocess.run(command, cwd=project, env=environ(), check=False, **more)


def run(project, *arguments):
    return started(project, [*PYTEST, *arguments]).stdout


def lines_of(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


class Asked:
    def __init__(self, output, file):
        self.output = output
        self.found = {(each["nodeid"].rpartition("::")[2], each["when"]): each for each in lines_of(file)}

    def of(self, name, when="call"):
        return self.found[name, when]


@pytest.fixture(scope="module")
def asked(project, tmp_path_factory):
    """All of them, in one run that ends at the first of nothing."""
    file = tmp_path_factory.mktemp("json") / "asked.json"
    files = [
        "failing.py",
        "probed",
        "broken_import.py",
        "stats.py",
        "saving.py",
        "spanning.py",
        "--doctest-modules",
        "--continue-on-collection-errors",
    ]
    return Asked(run(project, "--ask", "--ask-fix", "--ask-json", str(file), *files), file)


def place(found):
    return Path(found["stopped"]["file"]).name, found["stopped"]["function"]


def test_each_stops_where_its_name_says(asked):
    for (name, when), found in asked.found.items():
        expected = re.search(r"_(of|in|here|fails)_(\w+?)(?:_|$)", name)
        if when == "collect" or not expected:
            continue
        function = expected[2] if expected[1] == "in" else name.partition("[")[0]
        assert place(found) == ("stats.py" if expected[1] == "in" else "failing.py", function), name


def test_only_what_has_failed_is_answered(asked):
    assert len(asked.found) == 18
    assert {found.get("error") for found in asked.found.values()} <= {None, SAME}
    assert " failures answered in " in asked.output


def test_the_faulty_line_is_among_the_first_suspects_and_the_answer_is_short(asked):
    for (name, _), found in asked.found.items():
        if "_of_mean" in name:
            assert any(each.endswith(FAULTY) for each in found["suspects"][:3]), name
    sections = re.findall(rf"-- {re.escape(SECTION)} --+\n(.*?)\n(?:___|===)", asked.output, re.DOTALL)
    assert len(sections) == len(asked.found)
    assert max(len(section.splitlines()) for section in sections) <= 15


def test_a_report_has_a_section_with_the_answer(asked):
    report = asked.output.partition("test_of_mean_by_assertion")[2].partition("_____ test_")[0]
    assert SECTION in report
    assert "`stats.mean([1, 2, 3])` is `3.0`, not `2` at `failing.py:" in report


@pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
def test_what_was_verified_is_written_as_one_patch_that_applies(asked, project):
    assert asked.of("test_of_mean_by_assertion")["claims"]["verified"]
    assert asked.of("test_of_mean_by_equality")["claims"]["verified"]
    assert asked.of("test_of_mean_awaited")["claims"]["verified"]
    before = (project / "stats.py").read_text(encoding="utf-8")
    subprocess.run(["git", "apply", "dap-ai.patch"], cwd=project, check=True)
    after = (project / "stats.py").read_text(encoding="utf-8")
    subprocess.run(["git", "apply", "-R", "dap-ai.patch"], cwd=project, check=True)
    assert "(len(xs) - 1)" in before
    assert "(len(xs) - 1)" not in after


def test_a_test_may_have_replaced_what_we_use_and_changed_the_directory(asked):
    found = asked.of("test_here_after_what_was_caught")
    assert "`{'a': 1}` has no key `'b'`" in found["answer"]
    assert f"`failing.py:{line_of('failing.py', 'rate = ')}`" in found["answer"]


@pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
@pytest.mark.parametrize("name", ["test_saved_for_a_test", "test_saved_for_a_moment"])
def test_a_test_that_writes_temporary_files_is_run_again_whole(asked, name):
    found = asked.of(name)
    assert f"the whole test `saving.py::{name}`, with what it sets up, succeeds with it" in found["answer"]
    assert any(each.endswith(LOSING) for each in found["suspects"][:3])
    assert found["claims"]["verified"]


@pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
def test_what_pytest_looks_for_by_itself_is_no_part_of_an_answer(asked):
    answer = asked.of("test_probed")["answer"]
    assert "`__getattr__(name='thrice')` returned" in answer
    assert "setUpModule" not in answer
    assert "pytest_plugins" not in answer


@pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
def test_the_tests_beside_it_speak_for_a_fix_and_what_tells_of_values_is_no_part_of_it(asked):
    found = asked.of("test_its_end")
    assert "+    return span.low <= x <= span.high" in found["diff"]
    assert "of the tests beside it that run this line, 4 that passed pass with it" in found["answer"]
    assert "__repr__" not in found["answer"]


@pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
def test_a_fix_is_judged_by_the_tests_of_its_file_that_the_run_has_not_selected(project, tmp_path):
    selected = "limited.py::test_too_long[abc]"
    output = run(project, "--ask=full", "--ask-fix=chosen.patch", "--ask-json", str(tmp_path / "o"), selected)
    assert "No fix was verified: no patch was written." in output
    (found,) = lines_of(tmp_path / "o")
    refuses_a_fix(found)


def refuses_a_fix(found):
    assert not found["claims"]["verified"]
    assert "`return not (len(text)" not in found["answer"]


@pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
def test_they_speak_against_and_for_a_fix_where_a_word_has_selected_as_those_that_are_selected_do(project, tmp_path):
    words = "(long and abcd) or test_its_end"
    run(project, "--ask=full", "--ask-json", str(tmp_path / "o"), "limited.py", "spanning.py", "-k", words)
    limited, spanning = lines_of(tmp_path / "o")
    refuses_a_fix(limited)
    assert spanning["claims"]["verified"]
    assert "of the tests beside it that run this line, 4 that passed pass with it" in spanning["answer"]


def test_a_module_that_cannot_be_imported_is_answered(asked):
    found = asked.of("broken_import.py", "collect")
    assert "has no key `'first'`" in found["answer"]


def test_a_doctest_whose_output_is_another_one_stops_at_its_example(asked):
    found = asked.of("stats")
    assert place(found) == ("stats.py", "<module>")
    assert found["stopped"]["line"] == 3
    assert any(each.endswith(FAULTY) for each in found["suspects"][:3])


def test_a_teardown_that_only_comes_after_the_failed_call_is_one_line_and_another_is_answered(project, tmp_path):
    output = run(project, "--ask", "--tb=short", "--ask-json", str(tmp_path / "o"), "torn.py")
    found = {(each["nodeid"].rpartition("::")[2], each["when"]): each for each in lines_of(tmp_path / "o")}
    sections = re.findall(rf"-- {re.escape(SECTION)} --+\n(.*?)\n(?:___|===)", output, re.DOTALL)
    assert sections[0] == (
        f"`RuntimeError` at `torn.py:{line_of('torn.py', 'raise RuntimeError')}` comes after the "
        f"failure of the call at `torn.py:{line_of('torn.py', 'open == 2')}`, which kept the test from doing the rest: "
        "see its answer."
    )
    assert "`account.open` is `1`, not `2`" in found["test_left_open", "call"]["answer"]
    assert "`{}` is empty: it has no key `'gone'`" in found["test_fails_at_its_end", "teardown"]["answer"]


def test_answers_are_shown_where_reports_are_not_and_pytest_has_rewritten_no_assertion(project):
    chosen = [f"failing.py::{name}" for name in ("test_here_did_not_raise", "test_of_mean_by_assertion")]
    output = run(project, "--ask", "--tb=no", "--assert=plain", *chosen)
    assert "`stats.first({'first': 1})` did not raise `KeyError` at `failing.py:" in output
    assert "`mean(xs=[1, 2, 3])` returned `3.0`" in output


def test_workers_ask_by_themselves_and_what_they_found_travels(project, tmp_path):
    chosen = ["failing.py", "-k", "by_parameter or set_up or passes"]
    output = run(project, "--ask=full", "-n2", "--ask-json", str(tmp_path / "o"), *chosen)
    assert output.count("**Root cause") == 3
    assert len(lines_of(tmp_path / "o")) == 3


def test_without_the_flag_nothing_is_imported_but_a_small_module(project):
    code = "import sys, pytest; pytest.main(['-q', '-k', 'passes', 'failing.py']); print(sorted(sys.modules))"
    done = started(project, [sys.executable, "-c", code])
    ours = re.findall(r"'(dap_ai[\w.]*)'", done.stdout)
    plugin = "dap_ai.debuggees.python.hosts.testing.plugin"
    assert ours == [plugin[: end.start()] for end in re.finditer(r"\.|$", plugin)]


def test_nobody_is_asked_where_nothing_fails(project):
    output = run(project, "--ask", "-k", "passes", "failing.py")
    assert "1 passed" in output
    assert SECTION not in output


def test_a_held_test_is_joined_and_let_go(project):
    command = [*PYTEST, "--ask=stop", "--tb=no", "failing.py::test_of_mean_by_assertion"]
    process = subprocess.Popen(command, cwd=project, env=environ(), stdout=subprocess.PIPE, text=True)
    told = ""
    while "serve --post-mortem" not in told:
        line = process.stdout.readline()
        assert line, told
        told += line
    address = re.search(r"--post-mortem '?(\S+?\.sock)", told)[1]
    joined = [sys.executable, "-m", "dap_ai", "ask", "--post-mortem", address, "--chat"]
    said = "evaluate stats.mean([5, 5])\ncontinue\n"
    done = started(project, joined, input=said)
    rest, _ = process.communicate(timeout=patient(30.0))
    assert "`10.0`" in done.stdout
    assert "1 failed" in rest


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ask=stop", "-n2"], "cannot be combined with -n"),
        (["--ask", "--ask-time=0"], "above 0"),
        (["--ask-json", "no/such/folder/x"], "cannot be written to"),
    ],
)
def test_what_cannot_be_is_said_before_the_first_test(project, options, words):
    done = started(project, [*PYTEST, *options, "failing.py"])
    assert words in done.stderr
    assert done.returncode == 4


def test_no_failure_is_without_an_answer_where_there_was_no_time(project, tmp_path):
    chosen = ["failing.py", "-k", "by_parameter", "--ask-json", str(tmp_path / "o")]
    output = run(project, "--ask", "--ask-time=0.001", *chosen)
    assert re.search(r"`AssertionError(: assert 4.0 == 2)?` at `failing.py:", output)  # without, where nobody masked it
    assert output.count("There was no time for more: --ask-time SECONDS.") == 2
    assert "2 answers cut short" in output
    for found in lines_of(tmp_path / "o"):
        assert not found["complete"] and found["answer"]
        assert found["suspects"][0].endswith(f"failing.py:{found['stopped']['line']}")


SECRETIVE = """\
PASSWORD = "hunter2-and-4711"


def log_in(user):
    raise ConnectionError(f"no such account: jdbc:oracle:thin:{user}/{PASSWORD}@db.example")


def test_log_in():
    log_in("ann")


def test_source():
    assert len("password=swordfish-0815") == 0, "token=ghp_0123456789abcdefABCDEF0123456789abcd"
"""


@pytest.mark.parametrize("limit", ["30", "0.001"])
def test_no_secret_is_in_the_file_whether_there_was_time_or_not(limit, tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "test_secretive.py").write_text(SECRETIVE, encoding="utf-8")
    file = tmp_path / "asked.json"
    file.write_text("of a run before", encoding="utf-8")
    file.chmod(0o644)
    run(tmp_path, "--ask", "--ask-json", str(file), "--ask-time", limit, "test_secretive.py")
    assert file.stat().st_mode & 0o777 == 0o600
    for secret in ("hunter2-and-4711", "swordfish-0815", "ghp_0123456789abcdefABCDEF0123456789abcd"):
        assert secret not in file.read_text(encoding="utf-8")
    found = lines_of(file)
    assert [each["exception"]["type"] for each in found] == ["ConnectionError", "AssertionError"]
    for each in found:
        assert each["answer"] and each["stopped"]["file"].endswith("test_secretive.py")
        assert bool(each["exception"]["message"]) is not bool(each["exception"]["withheld"])
    if limit == "30":
        assert "jdbc:oracle:thin:ann/<secret:" in found[0]["exception"]["message"]

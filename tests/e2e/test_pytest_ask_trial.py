"""`pytest --ask` with Twisted's trial: what is known of a failure whose frames are gone, and no empty place."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.e2e.test_pytest_ask import PROJECT, run
from tests.patience import patient

NO_FRAME = "More is not known: no frame of your code is left in its traceback."


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    project = tmp_path_factory.mktemp("trialled")
    for name in ("trialled.py", "stats.py"):
        shutil.copy(PROJECT / name, project)
    (project / "pytest.ini").write_text("[pytest]\n")
    output = run(project, "-p", "no:anyio", "--ask", "--ask-json", "o.json", "trialled.py")
    assert "7 failed" in output
    assert not re.search(r"`:\d|``", output)
    lines = [json.loads(line) for line in (project / "o.json").read_text(encoding="utf-8").splitlines()]
    return {line["nodeid"].rpartition("::")[2]: line for line in lines}


@pytest.mark.parametrize(
    ("name", "where", "told"),
    [
        ("test_of_mean_by_trial", "trialled.py", "`stats.mean([1, 2, 3])` is `3.0`, not `2`"),
        ("test_of_mean_by_callbacks", "trialled.py", "`stats.mean(numbers)` is `3.0`, not `2`"),
        ("test_in_mean_by_deferred", "stats.py", "The divisor `len(xs) - 1` is `0`"),
        ("test_of_mean_apart", "trialled.py", "`stats.mean([1, 2, 3])` is `3.0`, not `2`"),
    ],
)
def test_a_failure_with_a_frame_stops_there(found, name, where, told):
    one = found[name]
    assert one["stopped"]["file"].endswith(where)
    assert told in one["answer"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("test_without_a_frame", "`FailTest: 3.0 != 2`"),
        ("test_never_raised", "`KeyError: 'never raised'`"),
        ("test_without_end", "`TimeoutError: <trialled.Trialled testMethod=test_without_end> (test_without_end) still"),
    ],
)
def test_of_one_without_a_frame_the_test_and_the_error_are_told_and_that_no_more_is_known(found, name, told):
    one = found[name]
    lines = (PROJECT / "trialled.py").read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if f"def {name}" in text)
    first, second = one["answer"].splitlines()
    assert first.startswith(told)
    assert first.endswith(f"` in `Trialled.{name}`, which begins at `trialled.py:{line}`.")
    assert second == NO_FRAME
    assert one["complete"] and not one["suspects"]


def test_trials_own_runner_stops_at_a_failure_too(tmp_path):
    for file in ("trialled.py", "stats.py"):
        shutil.copy(PROJECT / file, tmp_path)
    words = ["ask", "--python", sys.executable, "-m", "twisted.trial", "trialled.Trialled.test_of_mean_by_callbacks"]
    done = subprocess.run(
        [sys.executable, "-m", "dap_ai", *words], cwd=tmp_path, capture_output=True, text=True, timeout=patient(60.0)
    )
    assert re.search(r"`stats.mean\(.*\)` is `3.0`, not `2` at `.*trialled.py:", done.stdout), done.stdout + done.stderr

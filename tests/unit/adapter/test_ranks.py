from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dap_ai.adapter.io.ranks import rank_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def rank(tmp_path, *words, program="worker.py", **variables):
    (tmp_path / "worker.py").write_text("print(1, flush=True)\ninput()\n")
    command = [sys.executable, tmp_path / "worker.py", *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env={**os.environ, **variables}, **pipes) as process:
        process.stdout.readline()
        found = rank_of(process.pid, program)
        process.communicate(b"\n")
    return found


@pytest.mark.parametrize("words", [["--rank", "2"], ["--local-rank=2", "x"], ["a", "--local_rank", "2"]])
def test_the_rank_is_that_of_the_command_line(tmp_path, words):
    assert rank(tmp_path, *words, RANK="7") == "2"


@pytest.mark.parametrize("name", ["RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "LOCAL_RANK"])
def test_else_that_of_the_launchers_variable(tmp_path, name):
    assert rank(tmp_path, "--rank", "last", **{name: "3"}) == "3"


def test_a_process_may_have_none(tmp_path):
    assert rank(tmp_path, "--ranking", "2", RANK="first") == ""


def test_a_process_that_runs_something_else_is_not_looked_at(tmp_path):
    assert rank(tmp_path, "--rank", "2", program="other.py") == ""


def test_one_that_has_ended_has_none():
    assert rank_of(2**22 + 1, "worker.py") == ""

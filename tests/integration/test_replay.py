"""`dap-ai run replay`, `fork` and `retry` around an agent of the standard library, before a model that reads."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.store import FILE
from tests.chat.endpoint import Endpoint, Reply, Seen
from tests.integration.real_agents import program, surroundings
from tests.patience import at_worst

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")

TINY = Path(__file__).parents[1] / "agents" / "tiny.py"
SAMPLES = Path(__file__).parents[1] / "unit" / "debuggees" / "runs" / "samples"
WRONG, RIGHT = "def total(n):\n    return sum(range(n))\n", "def total(n):\n    return sum(range(n + 1))\n"
FIX = "sed 's/range(n)/range(n + 1)/' shop.py > new && mv new shop.py"
RENAME = "sed 's/total/sum_of/' shop.py > new && mv new shop.py"
LONG_S = at_worst(120.0)
DONE = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
Ran = Callable[..., subprocess.CompletedProcess[bytes]]


def answer(seen: Seen) -> Reply:
    """By what it reads: fixes the function where somebody has told it that an attempt has failed."""
    said, turns = str(seen.body["messages"]), sum(each["role"] == "assistant" for each in seen.body["messages"])
    if turns == 0:
        return Reply("I look.", calls=[("bash", {"command": "cat shop.py"})])
    if turns == 1:
        return Reply("I change it.", calls=[("bash", {"command": FIX if "earlier attempt" in said else RENAME})])
    return Reply("It is done.", calls=[("bash", {"command": DONE})] if "mini" in said else ())


@pytest.fixture(scope="module")
def model() -> Iterator[Endpoint]:
    with Endpoint([answer], endless=True, models=["scripted-model", "gpt-4o"]) as endpoint:
        yield endpoint


class Case:
    """A recorded run that did the wrong thing; since then its workspace has become another."""

    def __init__(self, folder: Path, model: Endpoint) -> None:
        self.model, self.work, self.recording = model, folder / "work", folder / "r"
        self.env = surroundings(model.url, folder / "home")
        check = "import shop; assert shop.total(3) == 6, 'a wrong total'"
        self.check = f'{shlex.quote(sys.executable)} -c "{check}"'

    def record(self, command: Sequence[str | Path]) -> None:
        self.work.mkdir()
        (self.work / "shop.py").write_text(WRONG)
        whole = [sys.executable, "-m", "dap_ai", "record", "--out", self.recording, "--", *command]
        ran = subprocess.run(
            whole, cwd=self.work, env=os.environ | self.env, capture_output=True, check=False, timeout=LONG_S
        )
        assert ran.returncode == 0, ran.stderr.decode()
        (self.work / "shop.py").write_text("mine")


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory, model: Endpoint) -> Case:
    made = Case(tmp_path_factory.mktemp("replay"), model)
    made.record([sys.executable, TINY, "Fix total()."])
    return made


@pytest.fixture
def again(tmp_path: Path, case: Case, run_dap_ai: Ran) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Runs the recording again: the exit code, and what `--json` says. The user's workspace stays as it is."""

    def run(kind: str, *options: Any, of: Case | None = None) -> tuple[int, dict[str, Any]]:
        used = of or case
        before = {path: path.read_bytes() for path in used.work.rglob("*")} if used.work.exists() else None
        given = ["run", kind, used.recording, "--out", tmp_path / "new", "--json", *options]
        ran = run_dap_ai(*given, env=used.env, timeout_s=LONG_S)
        assert ran.stdout, ran.stderr.decode()
        assert before is None or before == {path: path.read_bytes() for path in used.work.rglob("*")}
        assert not (tmp_path / "new" / "copy").exists()
        return ran.returncode, json.loads(ran.stdout)

    return run


Again = Callable[..., tuple[int, dict[str, Any]]]


def kinds(told: dict[str, Any]) -> list[str]:
    """Of the divergences."""
    return [row["divergence"] for row in told["divergences"]]


def test_a_replay_asks_no_model_and_leaves_the_same_files(case: Case, again: Again, tmp_path: Path):
    asked = len(case.model.requests)
    code, told = again("replay")
    assert (code, told["differs"], told["divergences"], told["diff"]) == (0, False, [], ""), told
    assert len(case.model.requests) == asked and told["after"]["from_tape"] == 3
    made = open_run(tmp_path / "new")
    assert made.parent and (made.parent.words, made.parent.path) == ("replay", str(case.recording))
    assert [event.text for event in made.events if event.kind == "change"] == ["M shop.py"]


def test_a_retry_from_the_onset_solves_what_had_failed_and_both_are_shown(case: Case, run_dap_ai: Ran, tmp_path: Path):
    given = ["run", "retry", case.recording, "--at", "onset", "--check", case.check, "--out", tmp_path / "new"]
    ran = run_dap_ai(*given, env=case.env, timeout_s=LONG_S)
    rows = ran.stdout.decode().splitlines()
    assert ran.returncode == 0, ran.stderr.decode()
    check = next(line for line in rows if line.startswith("check"))
    assert "fails (1)" in check and check.rstrip().endswith("passes")
    assert "-def sum_of(n):" in rows and "+    return sum(range(n + 1))" in rows
    assert "queries       3                                                    3: 1 from the tape, 2 not" in rows
    asked = case.model.requests[-2].body["messages"][-1]
    assert asked["role"] == "user" and "What went wrong (step 2" in asked["content"]
    shown = run_dap_ai("run", "show", tmp_path / "new").stdout.decode()
    assert "solved" in shown and f"retry from step 2 with its diagnosis, of {case.recording}" in shown
    compared = run_dap_ai("run", "compare", tmp_path / "new").stdout.decode()
    assert "first  unknown" in compared and "second solved" in compared


def test_a_fork_with_another_command_changes_what_is_done(case: Case, again: Again, tmp_path: Path):
    code, told = again("fork", "--at", 2, "--call", FIX, "--check", case.check)
    assert (code, told["after"]["check"]["exit_code"], told["before"]["check"]["exit_code"]) == (0, 0, 1)
    assert told["after"]["outcome"]["verdict"] == "solved" and told["before"]["outcome"]["verdict"] == "unknown"
    call = next(event for event in open_run(tmp_path / "new").events if event.kind == "call" and event.step == 2)
    assert call.text == FIX


def test_an_agent_that_is_not_deterministic_is_told_where_it_first_differs(case: Case, again: Again, tmp_path: Path):
    command = ["--", sys.executable, TINY, "--time", "--path", "Fix total()."]
    code, told = again("replay", "--diverged", "stop", *command)
    assert (code, kinds(told)) == (1, ["text"])
    found = told["divergences"][0]
    assert (found["query"], found["place"]) == (1, "message 1 (system)")
    assert "It is" in found["now"] and "It is" not in found["recorded"]
    assert told["after"]["queries"] == 1
    assert any(event.text.startswith("query 1 differs") for event in open_run(tmp_path / "new").events)


def test_a_recording_that_was_cut_off_in_the_middle_is_replayed_as_far_as_it_goes(
    case: Case, again: Again, tmp_path: Path
):
    cut = Case(tmp_path, case.model)
    shutil.copytree(case.recording, cut.recording)
    lines = (cut.recording / FILE).read_text().splitlines(keepends=True)
    last = next(place for place, line in enumerate(lines) if line.startswith('{"response":3'))
    (cut.recording / FILE).write_text("".join(lines[:last]) + lines[last][:40])
    code, told = again("replay", of=cut)
    assert (code, told["after"]["from_tape"]) == (1, 2)
    assert [row["stopped"] for row in told["notes"] if "stopped" in row] == [
        "the recording has no answer to this query"
    ]


def test_a_workspace_that_is_gone_is_replayed_in_the_copys_own_path(case: Case, run_dap_ai: Ran, tmp_path: Path):
    moved = Case(tmp_path, case.model)
    shutil.copytree(case.recording, moved.recording)
    lines = (moved.recording / FILE).read_text().replace(str(case.work), str(moved.work))
    (moved.recording / FILE).write_text(lines)
    ran = run_dap_ai("run", "replay", moved.recording, "--out", tmp_path / "new", env=case.env, timeout_s=LONG_S)
    told = ran.stderr.decode()
    assert ran.returncode == 0, told
    assert f"it cannot be seen at {moved.work} here" in told and "its ignored files and its .git" in told
    assert b"both leave the same files" in ran.stdout and not moved.work.exists()


def changed_head(case: Case, to: Path, **fields: Any) -> Path:
    """A copy of the recording without its states, with another first line."""
    to.mkdir()
    first, _, rest = (case.recording / FILE).read_text().partition("\n")
    kept = [line for line in rest.splitlines() if not line.startswith(('{"workspace"', '{"change"'))]
    (to / FILE).write_text("\n".join([json.dumps({**json.loads(first), **fields}), *kept, ""]))
    return to


def test_what_cannot_be_replayed_says_why_and_what_would_help(case: Case, run_dap_ai: Ran, tmp_path: Path):
    def refused(path: Path, *options: Any) -> str:
        ran = run_dap_ai("run", "replay", path, "--out", tmp_path / "new", *options, timeout_s=LONG_S)
        assert ran.returncode == 2 and not (tmp_path / "new").exists(), ran.stdout.decode()
        return " ".join(ran.stderr.decode().split())

    of_another = refused(SAMPLES / "swe-agent" / "v1.traj")
    assert (
        "a run of the format swe-agent cannot be run again" in of_another and "dap-ai record -- COMMAND" in of_another
    )
    assert "names no command: give it after --" in refused(changed_head(case, tmp_path / "a", command=[]))
    bare = changed_head(case, tmp_path / "b", workspace="")
    assert "holds no states of a workspace" in refused(bare) and "--workspace DIR" in refused(bare)


def test_mini_swe_agent_is_retried(case: Case, again: Again, tmp_path: Path):
    mini = program("mini-swe-agent", "mini")
    own = Case(tmp_path, case.model)
    task = "This is mini: fix total()."
    own.record([mini, "-m", "openai/gpt-4o", "-t", task, "-y", "--exit-immediately", "-o", tmp_path / "own.json"])
    code, told = again("retry", "--at", 2, "--check", own.check, of=own)
    assert (code, told["before"]["check"]["exit_code"], told["after"]["check"]["exit_code"]) == (0, 1, 0), told
    assert (told["after"]["from_tape"], told["after"]["queries"]) == (1, 3)

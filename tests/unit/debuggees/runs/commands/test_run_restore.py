"""`dap-ai run restore`: states of a recording's workspace in folders of their own, and nothing is written over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dap_ai.cli import main
from dap_ai.debuggees.runs.live.workspace.repository import Repository
from dap_ai.debuggees.runs.store import FILE, WORKSPACE

HEAD = {
    "dap_ai_recording": 1,
    "started": "2026-03-01T10:00:00+00:00",
    "command": ["agent"],
    "cwd": "/",
    "workspace": "/",
}
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["run", *map(str, arguments)])


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Of a workspace with two files, of which the first change edits one, and the second deletes the other."""
    workspace, folder = tmp_path / "workspace", tmp_path / "recording"
    workspace.mkdir()
    folder.mkdir()
    (workspace / "a.py").write_text("one\n")
    (workspace / "b.py").write_text("stays\n")
    repository = Repository(workspace, folder / WORKSPACE)
    repository.begin()
    rows = [HEAD, {"workspace": str(workspace), "at": 1.0, "commit": repository.head}]
    for number, change in enumerate(
        (lambda: (workspace / "a.py").write_text(f"two {SECRET}\n"), (workspace / "b.py").unlink), 1
    ):
        change()
        commit = repository.commit(f"change {number}")
        assert commit is not None
        rows.append({"change": number, "at": 1.0 + number, "commit": commit.sha, "files": commit.files})
    (folder / FILE).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_state_is_written_whole(recording: Path, tmp_path: Path):
    assert run("restore", recording, "-o", tmp_path / "end").exit_code == 0
    assert files(tmp_path / "end") == {"a.py": f"two {SECRET}\n"}
    assert run("restore", recording, "--event", 1, "-o", tmp_path / "begin").exit_code == 0
    assert files(tmp_path / "begin") == {"a.py": "one\n", "b.py": "stays\n"}


def test_of_a_change_only_its_files_before_and_after(recording: Path, tmp_path: Path):
    assert run("restore", recording, "--event", 2, "--change", "-o", tmp_path / "c").exit_code == 0
    assert files(tmp_path / "c") == {"before/a.py": "one\n", "after/a.py": f"two {SECRET}\n"}


def test_nothing_is_written_over(recording: Path, tmp_path: Path):
    result = run("restore", recording, "-o", tmp_path / "workspace")
    assert result.exit_code == 2 and "is not empty" in result.output
    assert files(tmp_path / "workspace") == {"a.py": f"two {SECRET}\n"}


def test_what_a_recordings_repository_configures_is_not_run(recording: Path, tmp_path: Path):
    trap = tmp_path / "trapped"
    with (recording / WORKSPACE / "config").open("a") as config:
        config.write(f'[filter "x"]\n\tsmudge = touch {trap}; cat\n[core]\n\tfsmonitor = touch {trap}\n')
    (recording / WORKSPACE / "info" / "attributes").write_text("* filter=x\n")
    assert run("restore", recording, "-o", tmp_path / "end").exit_code == 0
    assert run("export", recording, "--to", "html", "-o", tmp_path / "run.html").exit_code == 0
    assert not trap.exists()


def test_a_page_has_the_patch_of_each_change_with_its_secrets_masked(recording: Path, tmp_path: Path):
    assert run("export", recording, "--to", "html", "-o", tmp_path / "run.html").exit_code == 0
    page = (tmp_path / "run.html").read_text()
    assert '"-one"' in page and '"+two \\u003csecret:' in page and SECRET not in page


def test_what_is_no_recording_is_said_so(tmp_path: Path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"dap_ai_run": 1, "run": {"root": "/r", "format": "x", "events": []}, "analysis": {}}))
    result = run("restore", path, "-o", tmp_path / "o")
    assert result.exit_code == 2 and "only `dap-ai record` keeps one" in result.output


def test_two_runs_are_a_page_with_its_secrets_masked(recording: Path):
    page = run("compare", recording, recording, "--to", "html").output
    assert page.startswith("<!doctype html>") and '"same_task":true' in page
    view = json.loads(run("compare", recording, recording, "--to", "view").stdout)
    assert [each["total"] for each in view["runs"]] == [4, 4] and view["differs"] is None

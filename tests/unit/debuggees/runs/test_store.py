from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.store import FILE, Recording

HEAD = {"started": "2026-01-02T03:04:05Z", "command": ["agent"]}


def message(role: str, text: str) -> bytes:
    return json.dumps({"role": role, "content": text}).encode()


def rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / FILE).read_bytes().splitlines()]


def test_each_message_of_a_growing_history_is_stored_once(tmp_path: Path):
    recording = Recording(tmp_path, HEAD)
    history = [message("user", f"message {number} {'x' * 1000}") for number in range(50)]
    sizes: list[int] = []
    for count in range(1, 51):
        assert recording.conversation(history[:count]) == count
        sizes.append((tmp_path / FILE).stat().st_size)
    recording.close()
    assert sizes[-1] - sizes[-2] < 1300


def test_the_same_message_behind_another_one_is_stored_once_but_is_another_place(tmp_path: Path):
    recording = Recording(tmp_path, HEAD)
    first = recording.conversation([message("user", "a"), message("user", "go on")])
    second = recording.conversation([message("user", "b"), message("user", "go on")])
    recording.close()
    assert first != second
    assert [row.get("value") for row in rows(tmp_path) if row.get("node") in (first, second)] == [
        {"role": "user", "content": "go on"},
        None,
    ]


def test_a_recording_that_is_gone_on_with_knows_what_it_has(tmp_path: Path):
    first = Recording(tmp_path, HEAD)
    last = first.conversation([message("user", "a")])
    first.event({"query": 7, "last": last})
    first.close()
    second = Recording(tmp_path, HEAD)
    assert second.conversation([message("user", "a")]) == last and second.queries == 7
    second.close()
    assert len(rows(tmp_path)) == 3


def test_a_line_that_was_cut_off_costs_only_itself(tmp_path: Path):
    first = Recording(tmp_path, HEAD)
    first.event({"note": "one"})
    first.close()
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"note": "tw')
    assert open_run(tmp_path).problems == []
    second = Recording(tmp_path, HEAD)
    second.event({"note": "three"})
    second.close()
    run = open_run(tmp_path)
    assert [event.text for event in run.events if event.kind == "note"][1:] == ["one", "three"]
    assert len(run.problems) == 1


def test_a_recording_is_its_users_alone(tmp_path: Path):
    Recording(tmp_path / "r", HEAD).close()
    assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "r" / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ['"\\ud800"', ' {\n "a": 1,\n "b": "\\n" } ', "1e400", "123456789012345678901234567890"]
)
def test_any_json_value_becomes_one_line(text: str, tmp_path: Path):
    recording = Recording(tmp_path, HEAD)
    recording.part(text.encode())
    recording.close()
    assert len((tmp_path / FILE).read_bytes().splitlines()) == 2


def test_what_is_no_json_is_refused_and_leaves_nothing(tmp_path: Path):
    recording = Recording(tmp_path, HEAD)
    with pytest.raises(json.JSONDecodeError):
        recording.part(b"{")
    recording.close()
    assert len(rows(tmp_path)) == 1

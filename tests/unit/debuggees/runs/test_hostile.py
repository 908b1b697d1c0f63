"""Artefacts that are cut off, broken, endless, or meant to do harm: a run with its problems, or CannotRead; no more."""

from __future__ import annotations

import copy
import json
import os
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dap_ai.debuggees.runs.opening import Readers, find_runs, open_run, readers, recognized
from dap_ai.debuggees.runs.readers.base import Reader
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_files import CannotRead, lines
from dap_ai.debuggees.runs.run_model import Run, steps_of
from tests.unit.debuggees.runs.accounting import account
from tests.unit.debuggees.runs.shared import SAMPLES

RUNS = list(find_runs(SAMPLES))
FILES = [path for path, _ in RUNS if path.is_file()]
READERS = {reader.name: reader for reader in readers().known}
NASTY: list[Any] = [
    None, True, -1, 10**30, 1e308, "", "\x1b]0;owned\x07\x1b[2J", "\ud800", "../../etc/passwd", "a\nb\0c", [], {}, [[]],
    [None], {"": None}, {"role": []}, ["assistant"], "<script>alert(1)</script>", "9" * 400, {"content": {"text": 1}},
]  # fmt: skip
FUZZ = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def only_a_run_or_a_refusal(path: Path, name: str) -> Run | None:
    """What its reader makes of it: anything but a run and CannotRead is a failure, and so is a reference to nowhere."""
    before = {file: file.stat().st_mtime_ns for file in path.parent.rglob("*")}
    try:
        run = READERS[name].read(path)
    except CannotRead:
        return None
    for event in run.events:
        resolve(run.root, event.ref)
    steps_of(run)
    assert 0.0 <= account(run).share <= 1.0
    assert {file: file.stat().st_mtime_ns for file in path.parent.rglob("*")} == before
    return run


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at]
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found += places(item, (*at, key))
    return found


def replaced(value: Any, at: tuple[Any, ...], by: Any) -> Any:
    if not at:
        return by
    changed = copy.deepcopy(value)
    holder = changed
    for key in at[:-1]:
        holder = holder[key]
    holder[at[-1]] = by
    return changed


@pytest.mark.parametrize(("path", "name"), RUNS, ids=lambda value: getattr(value, "name", value))
@FUZZ
@given(data=st.data())
def test_values_of_any_type_at_any_place_end_in_a_run_or_a_refusal(tmp_path, path, name, data):
    copied = copied_to(tmp_path, path)
    files = sorted(file for file in [copied, *copied.rglob("*")] if file.is_file() and file.suffix != ".txt")
    file = data.draw(st.sampled_from(files))
    value = json.loads(file.read_text())
    for _ in range(data.draw(st.integers(1, 4))):
        value = replaced(value, data.draw(st.sampled_from(places(value))), data.draw(st.sampled_from(NASTY)))
    file.write_text(json.dumps(value))
    only_a_run_or_a_refusal(copied, name)


@pytest.mark.parametrize(("path", "name"), RUNS, ids=lambda value: getattr(value, "name", value))
@FUZZ
@given(data=st.data())
def test_bytes_changed_cut_or_put_in_end_in_a_run_or_a_refusal(tmp_path, path, name, data):
    copied = copied_to(tmp_path, path)
    file = data.draw(st.sampled_from(sorted(file for file in [copied, *copied.rglob("*")] if file.is_file())))
    content = file.read_bytes()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        put = data.draw(
            st.sampled_from([b"", b"\xff", b"\0", b'"', b"\\", b"}", b"[", b"\n", b"NaN", b"\\ud800", b"\x1b["])
        )
        content = content[:at] + put + content[at + data.draw(st.sampled_from([0, 1, 50, len(content)])) :]
    file.write_bytes(content)
    only_a_run_or_a_refusal(copied, name)
    open_or_refuse(copied)


def copied_to(folder: Path, path: Path) -> Path:
    target = folder / "copy" / path.name
    shutil.rmtree(target.parent, ignore_errors=True)
    target.parent.mkdir()
    shutil.copytree(path, target) if path.is_dir() else shutil.copy(path, target)
    return target


def open_or_refuse(path: Path) -> Run | None:
    try:
        return open_run(path)
    except CannotRead:
        return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_cut_off_is_read_up_to_there_and_says_so(path, tmp_path):
    content = path.read_bytes().rstrip()
    file = tmp_path / path.name
    file.write_bytes(content[: len(content) * 2 // 3])
    run = open_run(file)
    assert run.events and any("is cut off or broken" in problem.text for problem in run.problems)


def test_ten_thousand_levels_are_refused_in_words(tmp_path):
    for text in ("[" * 100_000, '{"messages":' * 100_000, '{"messages": [' + "[" * 50_000 + "]" * 50_000 + "]}"):
        (tmp_path / "deep.traj.json").write_text(text)
        with pytest.raises(CannotRead):
            open_run(tmp_path / "deep.traj.json")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_read_and_told(tmp_path, encoding):
    text = (SAMPLES / "mini-swe-agent" / "v1.traj.json").read_text().replace("Two at once", "Zwei zugleich, ä")
    (tmp_path / "a.traj.json").write_bytes(text.encode(encoding))
    run = open_run(tmp_path / "a.traj.json")
    step = steps_of(run)[1]
    assert step.response and step.response.text.startswith("Zwei zugleich, ä")
    resolved = resolve(run.root, step.response.ref)
    assert resolved.decode(
        encoding.replace("utf-16", "utf-16-le")
        if encoding == "utf-16"
        else "utf-32-le"
        if encoding == "utf-32"
        else encoding
    )
    assert encoding == "utf-8-sig" or any("is in UTF-" in problem.text for problem in run.problems)


def test_bytes_that_are_no_utf_8_are_told_and_the_rest_is_read(tmp_path):
    content = (SAMPLES / "mini-swe-agent" / "v1.traj.json").read_bytes().replace(b"Two at once", b"Two \xff at once")
    (tmp_path / "a.traj.json").write_bytes(content)
    run = open_run(tmp_path / "a.traj.json")
    assert run.steps == 3 and any("not quite JSON" in problem.text for problem in run.problems)
    assert b"\xff" in resolve(run.root, steps_of(run)[1].response.ref)


def test_a_number_that_is_none_is_told_and_the_rest_is_read(tmp_path):
    text = (
        (SAMPLES / "mini-swe-agent" / "v1.traj.json")
        .read_text()
        .replace('"instance_cost": 0.02', '"instance_cost": NaN')
    )
    (tmp_path / "a.traj.json").write_text(text)
    run = open_run(tmp_path / "a.traj.json")
    assert run.steps == 3 and run.cost_usd is None and run.problems


def test_a_line_of_a_gigabyte_takes_bounded_memory(tmp_path):
    with (tmp_path / "a.jsonl").open("wb") as file:
        file.write(b'{"type":"system"}\n')
        file.seek(1024 * 1024 * 1024)
        file.write(b'\n{"type":"user"}\n')
    tracemalloc.start()
    try:
        found = [(number, line) for number, line in lines(tmp_path / "a.jsonl")]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [(1, b'{"type":"system"}'), (2, None), (3, b'{"type":"user"}')]
    assert peak < 200 * 1024 * 1024


def test_a_document_that_is_too_large_is_refused_in_words(tmp_path):
    with (tmp_path / "a.traj.json").open("wb") as file:
        file.write(b'{"trajectory_format": "mini-swe-agent-1", "messages": [' + b" " * 65536)
        file.truncate(1024 * 1024 * 1024)
    with pytest.raises(CannotRead, match="more than 256 MB"):
        open_run(tmp_path / "a.traj.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")
def test_pipes_devices_and_what_is_not_there_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.traj")
    for path in (tmp_path / "pipe.traj", Path("/dev/zero"), tmp_path / "none", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(CannotRead):
            open_run(path)


def test_folders_that_are_links_and_circles_are_not_entered(tmp_path):
    (tmp_path / "runs").mkdir()
    shutil.copy(SAMPLES / "mini-swe-agent" / "v1.traj.json", tmp_path / "runs" / "a\n\x1b[2J.traj.json")
    (tmp_path / "runs" / "loop").symlink_to(tmp_path)
    (tmp_path / "link.traj.json").symlink_to(SAMPLES / "mini-swe-agent" / "v1.traj.json")
    assert [(path.name, name) for path, name in find_runs(tmp_path)] == [("a\n\x1b[2J.traj.json", "mini-swe-agent")]


def test_what_no_reader_knows_is_refused_with_what_was_looked_for_and_the_nearest(tmp_path):
    (tmp_path / "a.traj").write_text('{"steps": 3}')
    with pytest.raises(CannotRead) as refused:
        open_run(tmp_path / "a.traj")
    assert "looked for" in str(refused.value) and "the nearest is swe-agent" in str(refused.value)


def reader_of(sniff: Any, read: Any = None) -> Readers:
    return Readers([Reader("theirs", "theirs", sniff, read), *readers().known], ["reader 'x': cannot be loaded: boom"])


def test_a_reader_of_anybodys_that_fails_ends_nothing():
    path = SAMPLES / "mini-swe-agent" / "v1.traj.json"
    run = open_run(path, among=reader_of(lambda _: 1 / 0))
    assert run.format == "mini-swe-agent" and any("'theirs' fails at looking" in one.text for one in run.problems)
    run = open_run(path, among=reader_of(lambda _: (1.0, "mine"), lambda _: {}["gone"]))
    assert run.format == "mini-swe-agent" and any("theirs: fails at it" in one.text for one in run.problems)


def test_a_reader_that_cannot_be_loaded_is_named_where_nothing_can_be_read(tmp_path):
    (tmp_path / "a").write_text("hello")
    with pytest.raises(CannotRead, match="cannot be loaded: boom"):
        open_run(tmp_path / "a", among=reader_of(lambda _: (0.0, "")))


def test_the_surest_reader_reads():
    path = SAMPLES / "mini-swe-agent" / "v1.traj.json"
    guess = recognized(path, among=reader_of(lambda _: (0.4, "")))
    assert guess and guess.reader.name == "mini-swe-agent"

"""The file of `--log`: whose it is, what is in it when something goes wrong, and that the session hears nothing of it."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state import effects as fx
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.masking.mask import Masker
from dap_ai.backends.discovery import discover
from dap_ai.commands.display import wirelog
from dap_ai.commands.display.wirelog import SessionLog, WireLog
from tests.patience import at_worst

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and pipes of POSIX")
OUTPUT = fx.FromBackend(b'{"seq":1,"type":"event","event":"output","body":{"output":"open-sesame-42"}}')
WAIT_S = at_worst(20.0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "wire.jsonl"


@pytest.fixture
def told() -> list[str]:
    """Why nothing is written any more."""
    return []


@pytest.fixture
def begin(file: Path, told: list[str]) -> Iterator[Callable[..., SessionLog]]:
    logs: list[SessionLog] = []

    def make(masker: Any = Masker, known: Any = tuple) -> SessionLog:
        session = Session(discover("debugpy"))
        log = SessionLog(WireLog(file), "debugpy", session, masker=masker, known=known, failed=told.append)
        logs.append(log)
        return log

    yield make
    for log in logs:
        log.finish()


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_each_session_has_its_number_its_first_line_and_its_end(begin: Callable[..., SessionLog], file: Path):
    for number in (1, 2):
        log = begin()
        log.record(OUTPUT, [fx.Log("hello")])
        log.finish()
        first, event, effect, end = [row for row in rows(file) if row["session"] == number]
        assert first["backend"] == "debugpy"
        assert (event["event"], effect["effect"], end["ended"]) == ("FromBackend", "Log", True)


def test_sessions_at_once_keep_their_lines_apart(begin: Callable[..., SessionLog], file: Path):
    logs = [begin() for _ in range(4)]
    for _ in range(50):
        for log in logs:
            log.record(OUTPUT, [])
    for log in logs:
        log.finish()
    for number in (1, 2, 3, 4):
        assert sum("event" in row for row in rows(file) if row["session"] == number) == 50


def test_a_session_in_which_nothing_happened_leaves_nothing(begin: Callable[..., SessionLog], file: Path):
    begin().finish()
    assert file.read_bytes() == b""


def test_what_an_agent_has_found_is_hidden_too(begin: Callable[..., SessionLog], file: Path):
    log = begin(known=lambda: ["open-sesame-42"])
    log.record(OUTPUT, [])
    log.finish()
    assert "open-sesame" not in file.read_text()


def test_the_token_is_hidden_wherever_it_stands(file: Path, told: list[str]):
    session = Session(discover("debugpy"), SessionOptions(token="open-sesame-42"))
    log = SessionLog(WireLog(file), "debugpy", session, masker=Masker, known=tuple, failed=told.append)
    log.record(OUTPUT, [fx.Log("open-sesame-42")])
    log.finish()
    assert "open-sesame" not in file.read_text()
    assert len(rows(file)) == 4


@posix
def test_only_its_user_may_read_it(file: Path):
    file.touch(0o644)
    WireLog(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@posix
def test_a_link_a_pipe_a_folder_and_another_file_are_left_as_they_are(tmp_path: Path):
    other = tmp_path / "program.py"
    other.write_text("print('mine')\n")
    (tmp_path / "link").symlink_to(other)
    os.mkfifo(tmp_path / "pipe")
    for place in (other, tmp_path / "link", tmp_path / "pipe", tmp_path, tmp_path / "no" / "folder"):
        with pytest.raises((OSError, ValueError)):
            WireLog(place)
    assert other.read_text() == "print('mine')\n"


def test_a_file_that_has_grown_large_is_put_aside(
    begin: Callable[..., SessionLog], file: Path, monkeypatch: pytest.MonkeyPatch
):
    first = begin()
    first.record(OUTPUT, [])
    first.finish()
    monkeypatch.setattr(wirelog, "_MAX_OLD_BYTES", 10)
    second = begin()
    second.record(OUTPUT, [])
    second.finish()
    assert [row["session"] for row in rows(file)] == [1, 1, 1]
    assert file.with_name("wire.jsonl.old").stat().st_size > 10


def test_a_full_disk_ends_the_log_and_is_told_once(
    begin: Callable[..., SessionLog], told: list[str], monkeypatch: pytest.MonkeyPatch
):
    def full(fd: int, data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(wirelog.os, "write", full)
    log = begin()
    log.record(OUTPUT, [])
    log._thread.join(WAIT_S)
    for _ in range(3):
        log.record(OUTPUT, [])
    log.finish()
    assert len(told) == 1
    assert "No space left on device" in told[0]


def test_while_too_much_waits_the_session_waits(
    begin: Callable[..., SessionLog], file: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(wirelog, "_MAX_WAITING_BYTES", 2000)
    go_on = threading.Event()

    class Slow(Masker):
        def mask_json(self, value: Any) -> Any:
            assert go_on.wait(WAIT_S)
            return super().mask_json(value)

    log = begin(masker=Slow)
    recorded = threading.Event()

    def session() -> None:
        for _ in range(20):
            log.record(OUTPUT, [])
        recorded.set()

    thread = threading.Thread(target=session)
    thread.start()
    assert not recorded.wait(0.2)
    go_on.set()
    assert recorded.wait(WAIT_S)
    thread.join(WAIT_S)
    log.finish()
    assert sum("event" in row for row in rows(file)) == 20


def test_a_file_that_takes_nothing_any_more_stops_no_session(
    begin: Callable[..., SessionLog], told: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(wirelog, "_MAX_WAITING_BYTES", 2000)
    monkeypatch.setattr(wirelog, "_STALL_S", 0.05)
    go_on = threading.Event()

    class Stuck(Masker):
        def mask_json(self, value: Any) -> Any:
            assert go_on.wait(WAIT_S)
            return super().mask_json(value)

    log = begin(masker=Stuck)
    for _ in range(20):
        log.record(OUTPUT, [])
    log.close()
    go_on.set()
    log._thread.join(WAIT_S)
    assert told == ["the wire log ends here: it accepts no more data"]

"""The sockets at which sessions are joined: who may, where they are, and what is left of them."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dap_ai.adapter.io import sockets
from dap_ai.adapter.io.sockets import SessionSocket, SocketError
from dap_ai.transport import peer_users
from dap_ai.transport.byte_links import ByteLink
from tests.patience import at_worst

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")]
WAIT_S = at_worst(10.0)
LONG_AGO = (0, 0)
PEERCRED = pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="only Linux tells who is at the other end")


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose name leaves room for a socket's."""
    with tempfile.TemporaryDirectory(prefix="dap") as name:
        yield Path(name)


@pytest.fixture
def place(short: Path) -> Path:
    return short / "own"


class Log(list[str]):
    def __call__(self, text: str) -> None:
        self.append(text)


def echo(link: ByteLink) -> None:
    link.start(link.write, link.close, lambda _full: None)


async def opened(place: Path, on_link=echo) -> SessionSocket:
    log = Log()
    found = await sockets.open_session(on_link, log, str(place))
    assert found, log
    return found


async def refusal(place: Path) -> str:
    log = Log()
    assert await sockets.open_session(echo, log, str(place)) is None
    assert len(log) == 1
    return log[0]


async def said(link: ByteLink, text: bytes) -> bytes:
    """What comes back; empty: the other end has closed."""
    came: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def take(data: bytes) -> None:
        if not came.done():
            came.set_result(data)

    link.start(take, lambda: take(b""), lambda _full: None)
    link.write(text)
    try:
        return await asyncio.wait_for(came, WAIT_S)
    finally:
        link.close()


async def test_what_a_guest_writes_reaches_the_session_and_comes_back(place: Path):
    session = await opened(place)
    assert await said(await sockets.connect(session.session_id, str(place)), b"hello") == b"hello"
    session.close()


async def test_an_id_is_four_or_more_hexadecimal_digits_and_each_session_has_its_own(place: Path):
    sessions = [await opened(place) for _ in range(20)]
    names = {session.session_id for session in sessions}
    assert len(names) == 20
    assert all(re.fullmatch("[0-9a-f]{4,}", name) for name in names)
    assert set(sockets.session_ids(str(place))) == names
    for session in sessions:
        session.close()


async def test_an_id_that_another_session_has_is_not_taken_from_it(place: Path, monkeypatch: pytest.MonkeyPatch):
    ids = iter(["ab12", "ab12", "cd34"])
    monkeypatch.setattr("secrets.token_hex", lambda _count: next(ids))
    first, second = await opened(place), await opened(place)
    assert (first.session_id, second.session_id) == ("ab12", "cd34")
    assert await said(await sockets.connect("ab12", str(place)), b"still here") == b"still here"
    first.close()
    second.close()


async def test_the_end_of_a_session_leaves_no_file(place: Path):
    session = await opened(place)
    session.close()
    session.close()
    assert not list(place.iterdir())


async def test_folder_and_socket_are_the_users_alone(place: Path):
    session = await opened(place)
    path = place / f"{session.session_id}.sock"
    assert (place.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    session.close()


async def test_a_folder_that_is_open_to_others_is_refused(place: Path):
    place.mkdir()
    place.chmod(0o755)
    assert "open to other users" in await refusal(place)
    with pytest.raises(SocketError, match="open to other users"):
        sockets.session_ids(str(place))


async def test_a_symbolic_link_is_refused(short: Path, place: Path):
    (short / "elsewhere").mkdir(mode=0o700)
    place.symlink_to(short / "elsewhere")
    assert "symbolic link" in await refusal(place)
    assert not list((short / "elsewhere").iterdir())


async def test_a_folder_of_another_user_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch):
    place.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: 123456)
    assert "belongs to another user" in await refusal(place)


async def test_what_is_no_folder_is_refused(place: Path):
    place.write_text("")
    assert "File exists" in await refusal(place)


async def test_a_name_that_is_too_long_for_a_socket_is_refused_in_words(short: Path):
    assert "too long" in await refusal(short / ("x" * 100))


async def test_the_home_of_a_user_whom_nobody_knows_is_refused_in_words():
    with pytest.raises(SocketError, match="~nobody-like-this/x: "):
        sockets.folder("~nobody-like-this/x")
    log = Log()
    assert await sockets.open_session(echo, log, "~nobody-like-this/x") is None
    assert "cannot be joined" in log[0]


async def test_switched_off_a_session_has_no_socket_and_says_nothing():
    log = Log()
    assert await sockets.open_session(echo, log, "off") is None
    assert log == []
    with pytest.raises(SocketError, match="off"):
        sockets.session_ids("off")


async def test_where_the_event_loop_has_no_unix_sockets_the_session_goes_on(
    place: Path, monkeypatch: pytest.MonkeyPatch
):
    async def missing(*_arguments: object, **_options: object) -> None:
        raise NotImplementedError("no Unix sockets")

    monkeypatch.setattr(asyncio.get_running_loop(), "create_unix_server", missing)
    assert "cannot be joined" in await refusal(place)
    assert not list(place.iterdir())


async def test_the_runtime_folder_is_used_if_it_is_ours(short: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    assert sockets.folder() == short / "dap-ai"
    monkeypatch.setattr(os, "getuid", lambda: 123456)
    assert sockets.folder() == Path(tempfile.gettempdir()) / "dap-ai-123456"


async def test_without_a_runtime_folder_each_user_has_one_among_the_temporary_files(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert sockets.folder() == Path(tempfile.gettempdir()) / f"dap-ai-{os.getuid()}"


@PEERCRED
async def test_a_guest_of_another_user_is_turned_away_before_it_says_anything(
    place: Path, monkeypatch: pytest.MonkeyPatch
):
    links: list[ByteLink] = []
    log = Log()
    session = await sockets.open_session(links.append, log, str(place))
    assert session
    link = await sockets.connect(session.session_id, str(place))
    monkeypatch.setattr(peer_users, "is_another", lambda _uid: True)
    assert await said(link, b"let me in") == b""
    assert links == []
    assert "turned away" in log[0]
    session.close()


@PEERCRED
async def test_a_session_of_another_user_is_not_believed(place: Path, monkeypatch: pytest.MonkeyPatch):
    session = await opened(place)
    monkeypatch.setattr(peer_users, "is_of_another_user", lambda _socket: True)
    with pytest.raises(SocketError, match="another user"):
        await sockets.connect(session.session_id, str(place))
    session.close()


@PEERCRED
def test_the_kernel_tells_who_is_at_the_other_end(monkeypatch: pytest.MonkeyPatch):
    one, two = socket.socketpair(socket.AF_UNIX)
    with one, two:
        assert not peer_users.is_of_another_user(one)
        monkeypatch.setattr(peer_users, "_ROOT", -1)
        monkeypatch.setattr(os, "getuid", lambda: 123456)
        assert peer_users.is_of_another_user(one)


def abandoned(place: Path, name: str = "dead") -> Path:
    """What a session that was killed leaves."""
    sockets.folder(str(place), make=True)
    path = place / f"{name}.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    return path


async def test_what_a_killed_session_has_left_is_removed_by_who_finds_it(place: Path):
    path = abandoned(place)
    os.utime(path, LONG_AGO)
    with pytest.raises(SocketError, match="has ended"):
        await sockets.connect("dead", str(place))
    assert not path.exists()


async def test_many_that_were_killed_leave_no_more_than_a_few_files(place: Path):
    alive = await opened(place)
    os.utime(place / f"{alive.session_id}.sock", LONG_AGO)
    for number in range(40):
        os.utime(abandoned(place, f"dead{number:02}"), LONG_AGO)
    session = await opened(place)
    assert set(sockets.session_ids(str(place))) == {alive.session_id, session.session_id}
    assert await said(await sockets.connect(alive.session_id, str(place)), b"alive") == b"alive"
    alive.close()
    session.close()


async def test_a_socket_that_is_just_being_made_is_left_alone(place: Path):
    path = abandoned(place)
    with pytest.raises(SocketError, match="has ended"):
        await sockets.connect("dead", str(place))
    assert path.exists()


async def test_a_session_that_is_not_there_is_said_so(place: Path):
    with pytest.raises(SocketError, match="no session ab12"):
        await sockets.connect("ab12", str(place))


def test_where_no_session_ever_was_there_is_none_and_no_folder_is_made(place: Path):
    assert sockets.session_ids(str(place)) == []
    assert not place.exists()


def test_what_is_not_a_sessions_file_is_no_session(place: Path):
    sockets.folder(str(place), make=True)
    for name in ("x.sock", "ab12.txt", "..sock"):
        (place / name).write_text("")
    assert sockets.session_ids(str(place)) == []


def test_a_door_stands_in_no_folder_that_others_could_change(place: Path):
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    with pytest.raises(SocketError, match="others could put something"), sockets.bound_at(place / "door"):
        pass
    place.chmod(0o1777)  # as /tmp: what is there belongs to who has put it there
    with sockets.bound_at(place / "door"):
        assert (place / "door").stat().st_mode & 0o777 == 0o600
    assert list(place.iterdir()) == []


def test_a_door_takes_no_file_of_others_place(place: Path):
    place.mkdir()
    (place / "door").write_text("mine")
    with pytest.raises(OSError, match="in use"), sockets.bound_at(place / "door"):
        pass
    assert (place / "door").read_text() == "mine"

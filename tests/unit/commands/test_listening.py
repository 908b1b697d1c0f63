"""Where `dap-ai serve` listens and for whom; the file that tells it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import click
import pytest

from dap_ai.adapter.state.session_options import NOBODY_ELSE, SessionAccess
from dap_ai.commands.options.listen_options import AddressFile, listening


def test_on_tcp_there_is_a_token_unless_none_is_said():
    made = [listening("127.0.0.1:4711", "", no_token=False) for _ in range(2)]
    assert made[0].made_token and len(made[0].access.token) == 32
    assert made[0].access.token != made[1].access.token
    given = listening("0.0.0.0:4711", "sesame", no_token=False)
    assert given.access == SessionAccess("sesame") and not given.made_token
    assert listening("[::1]:4711", "", no_token=True).access == SessionAccess(anonymous=True)


@pytest.mark.parametrize("address", ["0.0.0.0:1", "[::]:1", "example.org:1", "192.168.0.1:1"])
def test_beyond_loopback_there_is_a_token_always(address: str):
    assert listening(address, "", no_token=False).access.token
    with pytest.raises(click.UsageError):
        listening(address, "", no_token=True)


def test_a_unix_socket_is_for_its_user_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert listening("unix:~/door", "", no_token=False)[2:4] == (tmp_path / "door", NOBODY_ELSE)


def test_the_address_file_is_its_users_alone_and_follows_no_link(tmp_path: Path):
    folder, other = tmp_path / "own", tmp_path / "other"
    other.write_text("mine")
    folder.mkdir(mode=0o700)
    (folder / "listen-4711.json").symlink_to(other)
    file = AddressFile(str(folder))
    path = file.write("127.0.0.1", 4711, "sesame")
    assert other.read_text() == "mine"
    assert not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text())["token"] == "sesame"
    assert [each.name for each in folder.iterdir()] == ["listen-4711.json"]
    file.remove()
    file.remove()
    assert list(folder.iterdir()) == []


def test_in_a_folder_that_others_can_read_there_is_no_address_file(tmp_path: Path):
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(OSError, match="open to other users"):
        AddressFile(str(tmp_path / "open")).write("127.0.0.1", 4711, "sesame")

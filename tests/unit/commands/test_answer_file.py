"""The file beside an answer: what is in it, and that its path is the last thing said."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from dap_ai.commands.display.answer_file import AnswerFile
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.wire.ask_messages import AskArguments

pytestmark = pytest.mark.anyio


class Says:
    """An agent that says these pieces."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces

    async def answer(self, ask: Any, debugger: Any, sink: Any) -> Answer:
        sink.emit("status", "offline")
        for piece in self.pieces:
            sink.emit("answer", piece)
        await asyncio.sleep(0)
        return Answer(text="".join(self.pieces))

    async def close(self) -> None:
        self.pieces = ()


class Heard:
    """A sink that keeps what it is told."""

    def __init__(self) -> None:
        self.all: list[tuple[str, str]] = []

    def emit(self, category: str, text: str, tool: Any = None) -> None:
        self.all.append((category, text))


async def answered(path: Path | str, *pieces: str, joined: bool = False) -> list[tuple[str, str]]:
    heard = Heard()
    ask = AcceptedAsk("ask-1", "c1", AskArguments(), joined=joined)
    await AnswerFile(Says(*pieces), str(path)).answer(ask, None, heard)  # pyright: ignore[reportArgumentType]  as small as may be
    return heard.all


async def test_the_file_holds_the_answers_markdown(tmp_path: Path):
    await answered(tmp_path / "answer.md", "**Why", "**\n")
    assert (tmp_path / "answer.md").read_text() == "**Why**\n"


async def test_the_path_comes_last_and_after_whole_lines(tmp_path: Path):
    path = tmp_path / "new" / "answer.md"
    assert (await answered(path, "It is 3."))[-3:] == [("answer", "It is 3."), ("answer", "\n"), ("status", str(path))]


async def test_a_later_answer_takes_the_place_of_an_earlier(tmp_path: Path):
    await answered(tmp_path / "answer.md", "a long answer\n")
    await answered(tmp_path / "answer.md", "short\n")
    assert (tmp_path / "answer.md").read_text() == "short\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
async def test_only_its_user_may_read_the_file(tmp_path: Path):
    await answered(tmp_path / "answer.md", "x\n")
    assert stat.S_IMODE((tmp_path / "answer.md").stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="a link needs rights there")
async def test_a_link_is_not_followed(tmp_path: Path):
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "answer.md").symlink_to(tmp_path / "theirs")
    heard = await answered(tmp_path / "answer.md", "x\n")
    assert (tmp_path / "theirs").read_text() == "theirs"
    assert heard[-1][1].startswith(f"{tmp_path / 'answer.md'}: ")


async def test_a_client_that_has_joined_leaves_the_file_as_it_is(tmp_path: Path):
    await answered(tmp_path / "answer.md", "mine\n")
    heard = await answered(tmp_path / "answer.md", "theirs\n", joined=True)
    assert (tmp_path / "answer.md").read_text() == "mine\n"
    assert heard[-1] == ("answer", "theirs\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
async def test_a_file_that_others_could_read_is_its_users_alone_afterwards(tmp_path: Path):
    (tmp_path / "answer.md").write_text("a longer answer than the next one")
    (tmp_path / "answer.md").chmod(0o644)
    await answered(tmp_path / "answer.md", "x\n")
    assert stat.S_IMODE((tmp_path / "answer.md").stat().st_mode) == 0o600
    assert (tmp_path / "answer.md").read_text() == "x\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes with a name")
@pytest.mark.parametrize("is_read", [False, True])
async def test_a_pipe_is_left_alone_and_nothing_waits_for_its_reader(tmp_path: Path, is_read: bool):
    os.mkfifo(tmp_path / "answer.md")
    reader = os.open(tmp_path / "answer.md", os.O_RDONLY | os.O_NONBLOCK) if is_read else -1
    try:
        heard = await answered(tmp_path / "answer.md", "x\n")
    finally:
        if is_read:
            assert os.read(reader, 10) == b""
            os.close(reader)
    assert heard[-1][1].startswith(f"{tmp_path / 'answer.md'}: ")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such owners")
async def test_a_file_of_another_user_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "answer.md").write_text("theirs")
    monkeypatch.setattr(os, "getuid", lambda: 123456)
    heard = await answered(tmp_path / "answer.md", "x\n")
    assert (tmp_path / "answer.md").read_text() == "theirs"
    assert heard[-1][1] == f"{tmp_path / 'answer.md'}: it belongs to another user"


async def test_the_home_of_a_user_whom_nobody_knows_costs_the_file_and_not_the_answer():
    heard = await answered("~nobody-like-this/answer.md", "x\n")
    assert ("answer", "x\n") in heard
    assert heard[-1][1].startswith("~nobody-like-this/answer.md: ")

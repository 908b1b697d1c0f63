"""`fix apply`: what is written, what is kept, and what is refused."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dap_ai.commands.debugging.fixing import CannotApply, Fixing

DIFF = "--- a/shop.py\n+++ b/shop.py\n@@ -2,1 +2,2 @@\n-b = 2\n+b = 3\n+c = 4"


class At:
    """A proposed change of a file, and what the user hears and answers."""

    def __init__(self, file: Path, *, answer: bool = True) -> None:
        self.file = file
        self.said: list[str] = []
        self.asked: list[str] = []
        self.answer = answer
        self.fixing = Fixing(self.said.append, self._confirmed)
        self.fixing.learn([{"file": str(file), "diff": DIFF, "verified": False, "check": "", "result": "not run"}])

    async def _confirmed(self, question: str) -> bool:
        self.asked.append(question)
        return self.answer

    def apply(self, number: int = 1) -> None:
        asyncio.run(self.fixing.apply(number))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "shop.py"
    file.write_bytes(b"a = 1\r\nb = 2\r\nd = 5\r\n")
    file.chmod(0o640)
    return file


def test_a_change_is_written_as_the_file_is_written_and_the_text_before_is_kept(shop: Path):
    at = At(shop)
    at.apply()

    assert shop.read_bytes() == b"a = 1\r\nb = 3\r\nc = 4\r\nd = 5\r\n"
    assert shop.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in shop.parent.iterdir() if path.name != "state"] == ["shop.py"]
    (kept,) = (shop.parent / "state" / "dap-ai" / "before-fixes").iterdir()
    assert kept.read_bytes() == b"a = 1\r\nb = 2\r\nd = 5\r\n"
    assert str(kept) in at.said[-1]
    assert at.asked == ["Write this to shop.py? (it was not verified: not run) y or n"]


def test_without_a_yes_the_file_is_left_as_it_is(shop: Path):
    At(shop, answer=False).apply()

    assert shop.read_bytes() == b"a = 1\r\nb = 2\r\nd = 5\r\n"


def test_a_file_that_has_changed_since_the_answer_is_left_as_it_is(shop: Path):
    at = At(shop)
    shop.write_bytes(b"a = 1\r\nb = 2\r\nd = 55\r\n")
    with pytest.raises(CannotApply, match="has changed since the answer"):
        at.apply()

    assert (shop.read_bytes(), at.asked) == (b"a = 1\r\nb = 2\r\nd = 55\r\n", [])


def test_a_file_that_was_another_when_the_program_started_is_left_as_it_is(shop: Path):
    shop.write_bytes(b"a = 1\r\nother = 2\r\nd = 5\r\n")
    with pytest.raises(CannotApply, match="another text than the program runs"):
        At(shop).apply()


def test_a_number_that_is_none_is_refused(shop: Path):
    with pytest.raises(CannotApply, match="Changes proposed: 1"):
        At(shop).apply(2)


def test_changes_proposed_at_an_earlier_stop_are_dropped(shop: Path):
    at = At(shop)
    at.fixing.forget()

    assert not at.fixing
    with pytest.raises(CannotApply, match=r"^No change was proposed\.$"):
        at.apply()

"""What a child process that failed sends of its end: within bounds, and marked where a cleanup may have changed it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from dap_ai.debuggees.python.endings.rank.failure_report import (
    MAX_FRAMES,
    PIECE,
    chains_in,
    head_of,
    keep_values,
    send_failure,
    shown_values,
    traceback_packet,
)
from tests.conftest import ROOT
from tests.unit.agent.harness import fail

INSPECTOR = str(ROOT / "dap_ai/debuggees/python/inspector")
CHILD = """\
class Box:
    def __init__(self, n):
        self.n = n
        self.api_key = "hunter" + "2" * 7


class Odd(Exception):
    def __str__(self):
        raise SystemExit


def work(box, limit):
    {block}
        if box.n < limit:
            raise Odd(box, limit)
    {cleanup}


work(Box(3), 10)
"""
FINALLY = {"block": "try:", "cleanup": "finally:\n        box.n = 5010"}
NO_CLEANUP = {"block": "if limit:", "cleanup": "limit = 7"}


def packets_of(error, folder=INSPECTOR):
    """The texts that came, each of its own packet."""
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb") as pipe:
        send_failure(error, writes, folder)
        os.close(writes)
        *packets, rest = pipe.read().split(b"\0")
    assert rest == b"" and all(len(each) < PIECE for each in packets)
    told = [each.decode("utf-8").partition("\n") for each in packets]
    assert {pid for pid, _, _ in told} == {str(os.getpid())}
    return [text for _, _, text in told]


def sent_by(tmp_path: Path, parts=FINALLY):
    program = tmp_path / "child.py"
    program.write_text(CHILD.format(**parts), encoding="utf-8")
    text, *pieces = packets_of(fail(program).error)
    return text, json.loads("".join(piece[1:] for piece in pieces))


def values_of(facts):
    return {text: fact["value"] for text, fact in zip(facts["expressions"], facts["values"], strict=True)}


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("assert box.n == 4", ["assert", "box", "box.n"]),
        ("x = self.items.count(y)", ["x", "self", "self.items", "self.items.count", "y"]),
        ("f(a).b + 1e5 + c[0].d", ["f", "a", "c"]),
        ("été = ß.ö", ["été", "ß", "ß.ö"]),
        ("", []),
    ],
)
def test_names_of_a_line_and_their_attributes_are_asked_for(line, texts):
    assert list(chains_in(line)) == texts


def test_an_attribute_is_read_from_what_stands_before_it():
    assert chains_in("a.b.c")["a.b.c"] == ["a", ["a", ["n", "a"], "b"], "c"]


def test_what_is_known_to_have_been_so_when_it_failed_is_shown_and_nothing_else():
    texts = ["n", "box", "print", "gone"]
    values = [{"text": "3", "kind": "int"}, {"text": "<Box>", "kind": "object", "time": "now"}, {"kind": "function"}]
    facts = {"values": [*({"value": value} for value in values), {"error": "missing"}]}
    keep_values(facts, texts)
    assert facts["expressions"] == ["n", "box"]
    assert shown_values(facts) == "n = 3"


@pytest.mark.parametrize(("name", "message", "head"), [("a.Odd", "", "Odd"), ("KeyError", "'x'", "KeyError: 'x'")])
def test_an_exception_without_a_message_is_its_type(name, message, head):
    assert head_of(name, message) == head


@pytest.mark.parametrize("name", ["x", "/long" * 200])
def test_a_traceback_fits_in_what_a_pipe_takes_at_once(name):
    frame = SimpleNamespace(f_code=SimpleNamespace(co_filename=name, co_name="work"))
    packet = traceback_packet([(frame, 1, 0)] * 500, "E: \0" + "é" * 300, "n = 1")
    assert len(packet) <= PIECE and packet.count(b"\0") == 1
    assert packet.decode().splitlines()[1] == "Traceback (most recent call last):"
    assert packet.decode().endswith("n = 1\0")


def test_a_value_that_a_cleanup_may_have_changed_is_that_of_now(tmp_path):
    text, sent = sent_by(tmp_path)
    inner, outer = sent["frames"]
    assert (inner["frame_id"], inner["name"], outer["frame_id"]) == (0, "work", 1)
    values = values_of(inner)
    assert values["box"]["time"] == "now" and "5010" in values["box"]["text"]
    assert "time" not in values["limit"] and values["limit"]["text"] == "10"
    assert "5010" not in text and text.endswith("\nOdd\nlimit = 10")


def test_without_a_cleanup_it_is_that_of_the_failure(tmp_path):
    _, sent = sent_by(tmp_path, NO_CLEANUP)
    assert not values_of(sent["frames"][0])["box"].get("time")


def test_no_code_of_the_program_makes_the_message(tmp_path):
    text, _ = sent_by(tmp_path, NO_CLEANUP)
    assert "\nOdd: (<Box n=3 " in text


def test_what_may_be_secret_is_named_so_that_it_can_be_masked(tmp_path):
    _, sent = sent_by(tmp_path)
    assert {"name": "api_key", "text": "hunter2222222"} in sent["secrets"]


def test_the_innermost_frames_are_sent(tmp_path):
    program = tmp_path / "deep.py"
    program.write_text("def down(n):\n    return 1 / n if n == 0 else down(n - 1)\ndown(40)\n", encoding="utf-8")
    text, *pieces = packets_of(fail(program).error)
    frames = json.loads("".join(piece[1:] for piece in pieces))["frames"]
    assert [values_of(facts)["n"]["text"] for facts in frames] == [str(n) for n in range(MAX_FRAMES)]
    assert text.count("File ") == 12


@pytest.mark.parametrize("folder", ["", "/nowhere"])
def test_without_the_inspector_the_traceback_is_sent_all_the_same(tmp_path, folder):
    program = tmp_path / "zero.py"
    program.write_text("n = 0\n1 / n\n", encoding="utf-8")
    (text,) = packets_of(fail(program).error, folder)
    assert text.endswith("ZeroDivisionError: division by zero\n")


def test_a_full_pipe_is_not_waited_for():
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    try:
        with pytest.raises(BlockingIOError):
            while True:
                os.write(writes, b"x" * PIECE)
        assert send_failure(ValueError("x"), writes, "") is None
    finally:
        os.close(reads)
        os.close(writes)

"""Storms of output go on in fewer events; nothing is lost, moved or changed in kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.adapter.io.merging import MAX_CHARS, MIN_RUN, Merger
from dap_ai.protocol.wire.errors import RemoteProtocolError


def merged(bodies: Iterable[bytes]) -> Iterator[bytes]:
    return Merger().merged(bodies)


def output(text: str, category: str = "stdout", **more: object) -> bytes:
    body = {"category": category, "output": text, **more}
    return json.dumps({"seq": 0, "type": "event", "event": "output", "body": body}).encode()


THREADS = json.dumps({"seq": 0, "type": "response", "request_seq": 1, "command": "threads", "success": True}).encode()


def texts(bodies: list[bytes]) -> list[str]:
    return [json.loads(body)["body"]["output"] for body in bodies]


def test_a_few_events_pass_byte_for_byte():
    bodies = [output(f"line {n}\n") for n in range(MIN_RUN - 1)]
    assert list(merged(bodies)) == bodies


def test_a_storm_becomes_one_event():
    got = list(merged(output(f"line {n}\n") for n in range(100)))
    assert texts(got) == ["".join(f"line {n}\n" for n in range(100))]


def test_no_event_grows_beyond_its_limit():
    got = texts(list(merged(output("x" * 1000) for _ in range(200))))
    assert max(map(len, got)) <= MAX_CHARS
    assert sum(map(len, got)) == 200_000


def test_another_message_stays_where_it_was():
    storm = [output("x") for _ in range(50)]
    got = list(merged([*storm, THREADS, *storm]))
    assert got[1] == THREADS
    assert texts([got[0], got[2]]) == ["x" * 50, "x" * 50]


def test_categories_are_kept_apart():
    got = list(merged([output("a") for _ in range(20)] + [output("b", "stderr") for _ in range(20)]))
    assert [json.loads(body)["body"]["category"] for body in got] == ["stdout", "stderr"]


@pytest.mark.parametrize("more", [{"variablesReference": 3}, {"source": {"path": "/a"}, "line": 2}, {"group": "start"}])
def test_what_says_more_than_its_text_is_never_merged(more: dict[str, object]):
    bodies = [output("x", **more) for _ in range(50)]
    assert list(merged(bodies)) == bodies


def test_what_came_before_a_broken_stream_is_told_first():
    def broken():
        yield from (output("x") for _ in range(20))
        raise RemoteProtocolError("no header")

    got = merged(broken())
    assert texts([next(got)]) == ["x" * 20]
    with pytest.raises(RemoteProtocolError):
        next(got)


@given(st.lists(st.tuples(st.text(max_size=30), st.sampled_from(["stdout", "stderr", "console"])), max_size=80))
def test_each_category_reads_the_same_afterwards(printed: list[tuple[str, str]]):
    def read(bodies: list[bytes]) -> list[tuple[str, str]]:
        told: list[tuple[str, str]] = []
        for body in (json.loads(each)["body"] for each in bodies):
            if told and told[-1][0] == body["category"]:
                told[-1] = (body["category"], told[-1][1] + body["output"])
            else:
                told.append((body["category"], body["output"]))
        return told

    bodies = [output(text, category) for text, category in printed]
    assert read(list(merged(bodies))) == read(bodies)


def test_a_storm_is_known_by_how_a_read_ends():
    merger = Merger()
    list(merger.merged(output("x") for _ in range(MIN_RUN)))
    assert merger.storms
    list(merger.merged([*(output("x") for _ in range(MIN_RUN)), THREADS]))
    assert not merger.storms

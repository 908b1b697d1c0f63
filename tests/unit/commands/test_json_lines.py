from __future__ import annotations

import base64
import io
import itertools
import json

from hypothesis import given
from hypothesis import strategies as st

from dap_ai.commands.display.json_display import JsonLines, Utf8Cutter
from dap_ai.protocol.wire.ask_messages import AskApproval, AskEnded, AskOutput, ToolStep, Usage


def lines_of(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@given(st.binary(max_size=64), st.lists(st.integers(0, 64)))
def test_every_byte_of_output_comes_back(data, cuts):
    cutter = Utf8Cutter()
    edges = [0, *sorted(cuts), len(data)]
    pieces = [cutter.feed(data[a:b]) for a, b in itertools.pairwise(edges)] + [cutter.feed(b"", final=True)]
    assert b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces) == data


@given(st.text(max_size=20))
def test_text_stays_text_however_it_is_cut(text):
    cutter = Utf8Cutter()
    assert "".join(cutter.feed(bytes([byte])) for byte in text.encode()) == text


def test_output_that_is_no_text_is_given_as_base64():
    stream = io.BytesIO()
    JsonLines(stream).program_output("stdout", b"\xff\xfe\x00")
    (line,) = lines_of(stream)
    assert line["event"] == "output"
    assert line["category"] == "stdout"
    assert base64.b64decode(line["base64"]) == b"\xff\xfe\x00"


def test_the_two_streams_do_not_share_a_character():
    stream = io.BytesIO()
    display = JsonLines(stream)
    display.program_output("stdout", "é".encode()[:1])
    display.program_output("stderr", b"x")
    display.program_output("stdout", "é".encode()[1:])
    assert [(line["category"], line["output"]) for line in lines_of(stream)] == [("stderr", "x"), ("stdout", "é")]


def test_an_event_is_its_body_with_its_name():
    stream = io.BytesIO()
    display = JsonLines(stream)
    display.stopped({"reason": "exception", "threadId": 1})
    display.ask_output(AskOutput("ask-1", "tool", "", ToolStep("evaluate", "len(x)", "3")))
    display.ask_ended(AskEnded("ask-1", "c-1", "completed", False, "why", Usage(), [], [], []))
    display.exited(1, "ended")
    stopped, output, ended, exited = lines_of(stream)
    assert stopped == {"event": "stopped", "reason": "exception", "threadId": 1}
    assert output["tool"]["call"] == "len(x)"
    assert ended["event"] == "askEnded"
    assert ended["usage"]["modelCalls"] == 0
    assert exited == {"event": "exited", "exitCode": 1, "text": "ended"}


def test_the_sum_of_a_chat_is_a_line():
    stream = io.BytesIO()
    JsonLines(stream).spent(2, Usage(model_calls=3, provider="openai"))
    (line,) = lines_of(stream)
    assert (line["event"], line["questions"], line["usage"]["modelCalls"]) == ("spent", 2, 3)


def test_a_request_for_consent_is_a_line():
    stream = io.BytesIO()
    JsonLines(stream).approval(AskApproval("ask-1", "a-1", "next", "to see", "step", 60.0))
    (line,) = lines_of(stream)
    assert line == {"event": "askApproval", "askId": "ask-1", "approvalId": "a-1", "action": "next"} | {
        "reason": "to see",
        "kind": "step",
        "timeoutS": 60.0,
    }

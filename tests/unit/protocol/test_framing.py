"""Framing: whole, byte by byte, with trailing data, oversized, junk."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.framing import (
    MAX_HEADER_BYTES,
    MAX_JUNK_LINE_BYTES,
    Exact,
    FrameReader,
    Lenient,
    encode_frame,
)

BODIES = [b'{"a":1}', '{"text":"caf\u00e9 \U0001f40d"}'.encode(), b"{}"]
STREAM = b"".join(map(encode_frame, BODIES))


def test_a_whole_stream_gives_every_body():
    assert list(FrameReader().feed(STREAM)) == BODIES


def test_a_stream_fed_byte_by_byte_gives_every_body():
    reader = FrameReader()
    assert [body for byte in STREAM for body in reader.feed(bytes([byte]))] == BODIES


@given(st.lists(st.binary(max_size=200), max_size=5), st.data())
def test_any_cut_of_any_bodies_gives_them_back(bodies, data):
    stream = b"".join(map(encode_frame, bodies))
    reader, got, at = FrameReader(), [], 0
    while at < len(stream):
        step = data.draw(st.integers(1, len(stream) - at))
        got += reader.feed(stream[at : at + step])
        at += step
    assert got == bodies


def test_trailing_data_waits_for_its_rest():
    reader = FrameReader()
    assert list(reader.feed(STREAM + b"Content-Length: 5\r\n\r\n[1")) == BODIES
    assert list(reader.feed(b",2]")) == [b"[1,2]"]


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 2\r\n\r\n",
        b"Content-Length:2\r\n\r\n",
        b"Content-Length: 2\n\n",
        b"Content-Type: x; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: x\r\n\r\n",
    ],
)
@pytest.mark.parametrize("grammar", [Exact, Lenient])
def test_headers_may_be_written_in_many_ways(header, grammar):
    assert list(FrameReader(grammar()).feed(header + b"{}")) == [b"{}"]
    reader = FrameReader(grammar())
    assert [body for byte in header + b"{}" for body in reader.feed(bytes([byte]))] == [b"{}"]


NO_DAP = [
    *(f"{method} / HTTP/1.1\r\nHost: x\r\n".encode() for method in ("GET", "POST", "PUT", "OPTIONS", "HEAD", "PATCH")),
    *(f"{method} x:80 HTTP/1.1\r\n\r\n".encode() for method in ("CONNECT", "TRACE", "DELETE", "PROPFIND", "C", "c")),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500,
    b"SSH-2.0-OpenSSH_9.6\r\n",
    b"\r\nContent-Length: 2\r\n\r\n{}",
    b"\nContent-Length: 2\r\n\r\n{}",
    b" Content-Length: 2\r\n\r\n{}",
    b"\xef\xbb\xbfContent-Length: 2\r\n\r\n{}",
    b"Content-Length : 2\r\n\r\n{}",
    b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    b"Content-Length: 9\r\nContent-Length: 2\r\n\r\n{}",
    b"Content-Length: 2, 2\r\n\r\n{}",
    b"Content-Length: +2\r\n\r\n{}",
    b"Content-Length: 0x2\r\n\r\n{}",
    "Content-Length: \u0662\r\n\r\n{}".encode(),
    b"Content-Length: 2\r\nReferer: http://x/content-length:2\r\n\r\n{}",
    b"Content-Length: 2\r\n Content-Type: folded\r\n\r\n{}",
    b"Content-Type: x\r\nContent-Type: y\r\nContent-Length: 2\r\n\r\n{}",
    b"Content-Type: x\r\n\r\nContent-Length: 2\r\n\r\n{}",
    b"Content-Type: " + b"x" * MAX_HEADER_BYTES + b"\r\nContent-Length: 2\r\n\r\n{}",
    b"junk Content-Length: 2\r\n\r\n{}",
    b"DAP-AI-Token: x\r\nContent-Length: 2\r\n\r\n{}",
    b"{}",
]


@pytest.mark.parametrize("stream", NO_DAP, ids=lambda stream: repr(stream[:24]))
def test_what_is_not_exactly_a_header_of_dap_ends_a_clients_stream(stream):
    for one_by_one in (False, True):
        reader, got = FrameReader(), []
        chunks = [bytes([byte]) for byte in stream] if one_by_one else [stream]
        with pytest.raises(RemoteProtocolError):
            for chunk in chunks:
                got += reader.feed(chunk)
        assert got == []


@pytest.mark.parametrize("first", [b"G", b"P", b"O", b"\x16", b"{", b"Cx", b"H", b" "])
def test_a_clients_stream_ends_at_the_first_byte_that_begins_no_header(first):
    with pytest.raises(RemoteProtocolError):
        list(FrameReader().feed(first))


_NAMES = st.sampled_from(["Content-Length", "content-length", "Content-Type", "Referer", "Host", "", "POST / HTTP/1.1"])
_VALUES = st.sampled_from(["2", "02", " 2 ", "9", "-1", "", "2;q=1", "http://x/content-length:2", "\x002"])
_ENDS = st.sampled_from(["\r\n", "\n", "\r", "\n\n", ""])


_LENGTH = rb"content-length:[ \t]*([0-9]+)[ \t]*\r*\n"
_TYPE = rb"content-type:[^\n]*\n"
_BLOCK = re.compile(rb"(?:%s(?:%s)?|%s%s)\r*\n" % (_LENGTH, _TYPE, _TYPE, _LENGTH), re.IGNORECASE)


def exactly(stream):
    """The bodies, as the grammar reads when it is written in one expression."""
    at = 0
    while found := _BLOCK.match(stream, at):
        begin, at = found.end(), found.end() + int(found[1] or found[2])
        if at > len(stream):
            return
        yield stream[begin:at]


@given(st.lists(st.tuples(_NAMES, st.sampled_from([":", ": ", " :", ""]), _VALUES, _ENDS), max_size=4), st.data())
def test_only_the_grammar_gets_a_body_through_however_it_is_cut(lines, data):
    block = "".join(map("".join, lines)).encode() + data.draw(st.sampled_from([b"\r\n", b"\n", b""]))
    stream, got, at = block + b"{}", [], 0
    reader = FrameReader()
    with contextlib.suppress(RemoteProtocolError):
        while at < len(stream):
            step = data.draw(st.integers(1, len(stream) - at))
            got += reader.feed(stream[at : at + step])
            at += step
    assert got == list(exactly(stream))


def test_a_token_may_stand_before_the_first_message_where_it_is_wanted():
    tokens = []
    reader = FrameReader(Exact(tokens.append))
    for byte in b"DAP-AI-Token:  s3cret \r\n" + STREAM:
        list(reader.feed(bytes([byte])))
    assert tokens == [b"s3cret"]
    with pytest.raises(RemoteProtocolError):
        list(reader.feed(b"DAP-AI-Token: again\r\n"))


def test_a_line_of_a_program_that_looks_like_a_header_is_junk():
    reader = FrameReader(Lenient())
    printed = b"Content-Length: 5\r\nServer: x\r\n\r\nhello\nContent-Length: 9\nContent-Length: none\n"
    assert list(reader.feed(printed + encode_frame(b"{}"))) == [b"{}"]
    assert b"Server: x" in reader.junk


def test_of_two_lengths_of_an_adapter_the_one_before_the_empty_line_counts():
    assert list(FrameReader(Lenient()).feed(b"Content-Length: 9\r\nContent-Length: 2\r\n\r\n{}")) == [b"{}"]


def test_junk_lines_of_an_adapter_are_skipped_and_kept():
    reader = FrameReader(Lenient())
    got = list(reader.feed(b"warning: something\nno newline " + encode_frame(b"{}") + b"more\n" + encode_frame(b"[]")))
    assert got == [b"{}", b"[]"]
    assert b"warning: something" in reader.junk
    assert b"more" in reader.junk


def test_headers_of_1024_bytes_are_read_and_one_byte_more_ends_the_stream():
    length = b"Content-Length: 2"
    longest = b"Content-Type: ".ljust(1024 - len(length), b"x")
    assert list(FrameReader().feed(b"%s\r\n%s\r\n\r\n{}" % (length, longest))) == [b"{}"]
    with pytest.raises(RemoteProtocolError):
        list(FrameReader().feed(b"%s\r\n%sx\r\n\r\n{}" % (length, longest)))


def test_an_oversized_message_ends_the_stream():
    with pytest.raises(RemoteProtocolError, match="over the limit"):
        list(FrameReader(max_message_bytes=10).feed(b"Content-Length: 11\r\n\r\n"))


@pytest.mark.parametrize("length", [b"ten", b"-1", b"", b"1e3", b"9" * 30])
def test_a_length_that_is_no_number_ends_the_stream(length):
    with pytest.raises(RemoteProtocolError):
        list(FrameReader().feed(b"Content-Length: " + length + b"\r\n\r\n"))


def test_endless_junk_without_a_line_end_ends_the_stream():
    reader = FrameReader(Lenient())
    with pytest.raises(RemoteProtocolError, match="no message header"):
        for _ in range(MAX_JUNK_LINE_BYTES // 1000 + 2):
            list(reader.feed(b"x" * 1000))


@pytest.mark.parametrize("grammar", [Exact, Lenient])
@given(junk=st.binary(max_size=400))
def test_junk_never_raises_anything_else(grammar, junk):
    reader = FrameReader(grammar())
    with contextlib.suppress(RemoteProtocolError):
        list(reader.feed(junk))

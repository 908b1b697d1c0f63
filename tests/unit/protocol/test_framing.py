"""Framing: whole, byte by byte, with trailing data, oversized, junk."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.protocol.errors import RemoteProtocolError
from dap_ai.protocol.framing import MAX_HEADER_BYTES, FrameReader, encode_frame

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
        b"Content-Length: 9\r\nContent-Length: 2\r\nX: y\r\n\r\n",
        b"\r\n\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_headers_may_be_written_in_many_ways(header):
    assert list(FrameReader().feed(header + b"{}")) == [b"{}"]


def test_junk_lines_of_an_adapter_are_skipped_and_kept():
    reader = FrameReader()
    got = list(reader.feed(b"warning: something\nno newline " + encode_frame(b"{}") + b"more\n" + encode_frame(b"[]")))
    assert got == [b"{}", b"[]"]
    assert b"warning: something" in reader.junk
    assert b"more" in reader.junk


def test_an_oversized_message_ends_the_stream():
    with pytest.raises(RemoteProtocolError, match="over the limit"):
        list(FrameReader(max_message_bytes=10).feed(b"Content-Length: 11\r\n\r\n"))


@pytest.mark.parametrize("length", [b"ten", b"-1", b"", b"1e3", b"9" * 30])
def test_a_length_that_is_no_number_ends_the_stream(length):
    with pytest.raises(RemoteProtocolError):
        list(FrameReader().feed(b"Content-Length: " + length + b"\r\n\r\n"))


def test_endless_junk_without_a_line_end_ends_the_stream():
    reader = FrameReader()
    with pytest.raises(RemoteProtocolError, match="no message header"):
        for _ in range(MAX_HEADER_BYTES // 1000 + 2):
            list(reader.feed(b"x" * 1000))


@given(st.binary(max_size=400))
def test_junk_never_raises_anything_else(junk):
    reader = FrameReader()
    with contextlib.suppress(RemoteProtocolError):
        list(reader.feed(junk))

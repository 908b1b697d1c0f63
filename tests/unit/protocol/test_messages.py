"""The parts of DAP's messages that the proxy reads: what a message leaves out, and what is made of it."""

from __future__ import annotations

import inspect

import msgspec
import pytest

from dap_ai.protocol.wire import dap_messages
from dap_ai.protocol.wire.dap_messages import ErrorBody, FrameId
from dap_ai.protocol.wire.dap_requests import has_needed
from dap_ai.protocol.wire.safe import as_it_is, holds_none, json_text, put, raw, replaced, safe_fields

SHAPES = [
    shape
    for _, shape in inspect.getmembers(dap_messages, inspect.isclass)
    if issubclass(shape, msgspec.Struct) and not shape.__name__.startswith("_")
]
DEFAULTS: dict[str, dict[str, object]] = {
    "CompletionsArguments": {"column": 1},
    "ContinueBody": {"all_threads_continued": True},
    "OutputBody": {"category": "console"},
}
"""What DAP says that a field means where it is left out; any other is nothing."""


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_what_a_message_leaves_out_is_what_dap_says(shape: type[msgspec.Struct]):
    given = [field for field in msgspec.structs.fields(shape) if field.default is not msgspec.NODEFAULT]
    assert {field.name: field.default for field in given if field.default} == DEFAULTS.get(shape.__name__, {})


@pytest.mark.parametrize(
    ("source", "path"),
    [({"path": "/a.py"}, "/a.py"), ({"name": "a"}, ""), ({"path": 3}, ""), (None, ""), ("/a.py", "")],
)
def test_a_frame_names_its_source_file_or_none(source: object, path: str):
    assert FrameId(1, source=source).path == path


def test_an_errors_variables_are_put_into_its_text():
    read = msgspec.json.decode(b'{"error":{"format":"{a} of {b}","variables":{"a":"1","b":"2"}}}', type=ErrorBody)
    assert read.text() == "1 of 2"
    assert ErrorBody().text() == ""


@pytest.mark.parametrize(
    ("command", "arguments", "needed"),
    [
        ("next", b'{"threadId":1}', True),
        ("writeMemory", b'{"memoryReference":"0x1","data":"AA=="}', True),
        ("writeMemory", b'{"memoryReference":"0x1"}', False),
        ("writeMemory", b'{"memoryReference":1,"data":"AA=="}', False),
        ("variables", b"", False),
        ("variables", b"[", False),
        ("customOfAnAdapter", b"", True),
    ],
)
def test_a_request_has_what_dap_demands_or_not(command: str, arguments: bytes, needed: bool):
    assert has_needed(command, arguments) is needed


def test_masked_texts_are_put_into_a_message_or_into_a_copy_of_it():
    frame = FrameId(1, name="f")
    copy = replaced(frame, name="g")
    assert (frame.name, copy.name, copy.id) == ("f", "g", 1)
    put(frame, name="h")
    assert frame.name == "h"


def test_what_is_safe_or_raw_is_the_value_itself():
    assert (as_it_is("a"), raw("a"), safe_fields({"a": 1})) == ("a", "a", {"a": 1})
    assert json_text({"a": "é"}) == '{"a": "é"}'
    assert holds_none("a", "a")
    assert not holds_none("a", "b")

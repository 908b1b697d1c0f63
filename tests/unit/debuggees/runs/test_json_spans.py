from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.debuggees.runs import json_spans
from dap_ai.debuggees.runs.json_spans import Document, escaped, salvaged
from tests.unit.debuggees.runs.accounting import strings

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=25,
)
INDENTS = st.sampled_from([None, 0, 2])


def places(value: Any, pointer: str = "") -> list[tuple[str, Any]]:
    found = [(pointer, value)]
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found += places(item, f"{pointer}/{escaped(str(key))}")
    return found


@given(VALUES, INDENTS, st.booleans())
def test_every_place_of_a_document_is_found_where_it_is(value, indent, ascii_only):
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    document = Document(data)
    for pointer, item in places(value):
        start, end = document.locate(pointer)
        assert json.loads(data[start:end]) == item


@given(st.lists(VALUES, min_size=1) | st.dictionaries(st.text(), VALUES, min_size=1), INDENTS, st.data())
def test_a_document_that_is_cut_anywhere_keeps_what_was_whole(value, indent, data):
    whole = json.dumps(value, indent=indent).encode()
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    closed = salvaged(cut)
    if closed is not None:
        told = json.loads(closed[0])
        assert type(told) is type(value) and cut.startswith(closed[0][: closed[1]])
        assert len(cut) < len(whole) or told == value


@given(st.lists(VALUES, min_size=1), INDENTS, st.data())
def test_much_is_closed_as_little_is(value, indent, data):
    cut = json.dumps(value, indent=indent).encode()
    cut = cut[: data.draw(st.integers(0, len(cut)))]
    assert list(json_spans._marks(cut)) == list(json_spans._marks_of_much(cut))


def test_a_long_document_with_many_escapes_is_closed_too():
    text = json.dumps([{"a": '"\\\n' * 1000, "b": [1, 2]}] * 600).encode()
    closed = salvaged(text[:-2])
    assert len(text) > json_spans._MAX_MATCHED_BYTES and closed and len(json.loads(closed[0])) == 600


@given(VALUES)
def test_the_strings_of_a_document_are_its_values_and_no_keys(value):
    data = json.dumps(value).encode()
    wanted = sorted(item for _, item in places(value) if isinstance(item, str))
    assert sorted(json.loads(b'"' + data[start:end] + b'"') for start, end in strings(data)) == wanted


@pytest.mark.parametrize("text", [b"", b"{", b'{"a"', b'{"a":', b'"abc', b"]", b"{]", b"[,", b"\\", b'["\\', b"nul"])
def test_what_is_no_document_has_no_places(text):
    with pytest.raises((KeyError, json_spans.JsonSyntaxError)):
        Document(text).locate("/a/0/b")

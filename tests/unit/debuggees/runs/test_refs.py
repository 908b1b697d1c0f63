from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.opening import find_runs, open_run
from dap_ai.debuggees.runs.refs import contains, resolve
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Event, Ref, Run
from tests.unit.debuggees.runs.shared import FOLDER, SAMPLES

RUNS = [*find_runs(SAMPLES), *(find_runs(FOLDER) if FOLDER.is_dir() else ())]


ESCAPES = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]")
"""What a terminal shows as no character."""


def loaded(text: str | bytes) -> Any:
    """What is written as JSON there, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def strings(value: Any) -> Iterator[str]:
    """Every string of a value, also within strings that are JSON themselves."""
    waiting = [value]
    while waiting:
        top = waiting.pop()
        if isinstance(top, str):
            yield top
            if top[:1] in ("{", "["):
                waiting.append(loaded(top))
        elif isinstance(top, dict):
            waiting += top.values()
        elif isinstance(top, list):
            waiting += top


def said(data: bytes) -> list[str]:
    """The texts in an artefact's bytes: of a document, of lines of documents, else the bytes themselves."""
    found = list(strings(loaded(data)))
    if not found:
        rows = [loaded(line) for line in data.split(b"\n")]
        screen = "".join(row[2] for row in rows if isinstance(row, list) and len(row) == 3 and isinstance(row[2], str))
        found = [
            data.decode("utf-8", "replace"),
            screen,
            ESCAPES.sub("", screen),
            *(text for row in rows for text in strings(row)),
        ]
    return found


def is_in(text: str, texts: list[str]) -> bool:
    """Whether a text is in one of these, or is made of their lines, of JSON of such, of a key and such."""
    return any(text in one for one in texts) or all(
        any(line in one for one in texts)
        or _is_json_of(line, texts)
        or any(ESCAPES.sub("", line) in one for one in texts)
        or any(line.partition(": ")[2] in one for one in texts if ": " in line)
        for line in text.splitlines()
    )


def _is_json_of(line: str, texts: list[str]) -> bool:
    value = loaded(line)
    return isinstance(value, (dict, list)) and all(is_in(one, texts) for one in strings(value) if one != line)


def whole(run: Run, event: Event) -> list[str]:
    return [text for ref in (event.ref, *event.more) for text in said(resolve(run.root, ref))]


@pytest.mark.parametrize("path", [pytest.param(path, id=f"{name}-{path.name}") for path, name in RUNS])
def test_every_reference_resolves_to_the_bytes_that_the_event_was_read_from(path):
    run = open_run(path)
    assert run.events
    for event in run.events:
        texts = whole(run, event)
        assert event.kind == "end" or is_in(event.text, texts), (event.index, event.kind, event.ref, event.text[:200])
        assert is_in(event.reasoning, texts), (event.index, event.ref, event.reasoning[:200])
        for argument in strings(event.arguments):
            assert is_in(argument, texts), (event.index, event.ref, argument[:200])


def test_the_very_bytes_come_back_and_no_document_written_anew(tmp_path):
    (tmp_path / "a.json").write_bytes(b'{"a" : [1,  {"b":"\\u00e4 \xc3\xa4" , "c/d~" : 1.50}]}')
    assert resolve(tmp_path, Ref("a.json", pointer="/a/1")) == b'{"b":"\\u00e4 \xc3\xa4" , "c/d~" : 1.50}'
    assert resolve(tmp_path, Ref("a.json", pointer="/a/1/b")) == b'"\\u00e4 \xc3\xa4"'
    assert resolve(tmp_path, Ref("a.json", pointer="/a/1/c~1d~0")) == b"1.50"


def test_a_key_that_comes_twice_is_the_last_as_for_every_parser(tmp_path):
    (tmp_path / "a.json").write_bytes(b'{"a": 1, "a": 2}')
    assert resolve(tmp_path / "a.json", Ref(pointer="/a")) == b"2"


def test_lines_are_split_at_line_feeds_only(tmp_path):
    (tmp_path / "a.jsonl").write_bytes('{"a": "one\u2028two"}\r\n{"a": "three"}\n'.encode())
    assert resolve(tmp_path, Ref("a.jsonl", (2, 2), "/a")) == b'"three"'
    assert resolve(tmp_path, Ref("a.jsonl", (1, 2))).endswith(b'\r\n{"a": "three"}')


def test_a_file_in_another_encoding_gives_its_own_bytes(tmp_path):
    (tmp_path / "a.json").write_bytes('{"a": "ä"}'.encode("utf-16"))
    assert resolve(tmp_path, Ref("a.json", pointer="/a")) == '"ä"'.encode("utf-16-le")


def test_what_is_past_a_very_large_files_beginning_is_reached_by_its_lines(tmp_path):
    with (tmp_path / "a.jsonl").open("wb") as file:
        file.write(b'{"a": 1}\n')
        file.truncate(300 * 1024 * 1024)
        file.seek(0, os.SEEK_END)
        file.write(b'\n{"a": 2}\n')
    assert resolve(tmp_path, Ref("a.jsonl", (3, 3), "/a")) == b"2"


@pytest.mark.parametrize(
    "ref",
    [
        Ref("../secret"),
        Ref("link"),
        Ref("a.json", pointer="/b"),
        Ref("a.json", pointer="/a/0"),
        Ref("a.json", pointer="a"),
        Ref("a.json", (2, 2)),
        Ref("a.json", (0, 0)),
        Ref("none.json"),
        Ref("folder"),
        Ref("a\0b"),
    ],
    ids=repr,
)
def test_what_is_not_there_or_outside_of_the_run_cannot_be_read(tmp_path, ref):
    root = tmp_path / "run"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "secret").write_text("SECRET")
    (root / "a.json").write_text('{"a": 1}')
    (root / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(CannotRead):
        resolve(root, ref)


def test_a_link_within_the_run_is_read(tmp_path: Path):
    (tmp_path / "a.json").write_text("[1]")
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    assert resolve(tmp_path, Ref("b.json", pointer="/0")) == b"1"


def test_words_of_arguments_that_are_json_in_a_text_of_json_stand_there_as_they_are_meant(tmp_path: Path):
    command = r"sed -i 's/price \* RATE/price/' shop.py"
    call = {"function": {"name": "bash", "arguments": json.dumps({"command": command})}}
    (tmp_path / "run.json").write_text(json.dumps({"calls": [call]}))
    assert contains(tmp_path, Ref("run.json", pointer="/calls/0"), command)
    assert not contains(tmp_path, Ref("run.json", pointer="/calls/0"), command.replace("price", "cost"))

"""Path mappings in both directions: what is read gets the client's paths, queries get the debuggee's."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.state.path_mappings import PathMappings
from dap_ai.protocol.contracts.inspection import CodeDefinition, ExceptionFacts, FrameFacts, Inspection, Value, Variable
from dap_ai.protocol.contracts.snapshot_messages import (
    EditedSource,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    Statements,
    TracedLine,
)


def mapped(*pairs: tuple[str, str]) -> PathMappings:
    paths = PathMappings()
    given = [{"localRoot": local, "remoteRoot": remote} for local, remote in pairs]
    paths.begin(json.dumps({"pathMappings": given}).encode())
    return paths


@pytest.mark.parametrize(
    ("local", "remote", "here", "there"),
    [
        ("/home/me/shop", "/app", "/home/me/shop/a/b.py", "/app/a/b.py"),
        ("/home/me/shop/", "/app/", "/home/me/shop/b.py", "/app/b.py"),
        ("C:\\me\\shop", "/app", "C:\\me\\shop\\a\\b.py", "/app/a/b.py"),
        ("/home/me/shop", "/app", "/home/me/shop", "/app"),
    ],
)
def test_a_path_below_a_root_is_moved_below_the_other(local: str, remote: str, here: str, there: str):
    paths = mapped((local, remote))

    query = paths.remote(SnapshotQuery(1, edits=[EditedSource(here, "", "")], folders=[here]))
    found = paths.local(SnapshotResult("ok", trace=RunTrace(lines=[TracedLine(there, 3, "f")])))

    assert (query.edits[0].file, query.folders) == (there, [there])
    assert found.trace is not None and found.trace.lines[0].file == here


def test_the_longest_root_counts_and_what_is_only_named_alike_stays():
    paths = mapped(("/home/me", "/app"), ("/home/me/lib", "/opt/lib"))

    files = [
        paths.remote(Statements("", file=each)).file
        for each in ("/home/me/a.py", "/home/me/lib/b.py", "/home/mel/c.py")
    ]

    assert files == ["/app/a.py", "/opt/lib/b.py", "/home/mel/c.py"]


def test_files_of_an_inspection_are_renamed_and_values_are_not():
    value = Value("'/app/a.py'", "str", definition=CodeDefinition("/app/a.py", 1))
    frame = FrameFacts(1, "f", "/app/a.py", 3, locals=[Variable("path", value)])
    error = ExceptionFacts("OSError", "no /app/x", file="/app/a.py")

    found = mapped(("/home/me", "/app")).local(
        Inspection([frame], [error], argv=["/app/a.py", "--file", "/app/b"], cwd="/app")
    )

    local = found.frames[0].locals[0].value
    assert (found.frames[0].file, found.exceptions[0].file, found.cwd) == ("/home/me/a.py", "/home/me/a.py", "/home/me")
    assert local.definition is not None and local.definition.file == "/home/me/a.py"
    assert (local.text, found.exceptions[0].message) == ("'/app/a.py'", "no /app/x")
    assert found.argv == ["/home/me/a.py", "--file", "/app/b"]


def test_a_dot_is_the_working_directory_of_the_debuggee_and_without_mappings_nothing_changes():
    paths, seen = mapped(("/home/me", ".")), Inspection([], cwd="/srv/app")

    assert paths.local(seen).cwd == "/home/me"
    assert paths.remote(Statements("", file="/home/me/a.py")).file == "/srv/app/a.py"
    assert mapped().local(seen) is seen

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from dap_ai.debuggees.runs import opening
from dap_ai.debuggees.runs.opening import readers
from dap_ai.debuggees.runs.readers.base import GROUP, Reader

OURS = ("atif", "harbor", "mini-swe-agent", "openhands", "openhands-sdk", "swe-agent")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch):
    """`installed(name="module:object")`: these readers are installed, and no others."""

    def install(**points: str) -> opening.Readers:
        found = [EntryPoint(name, value, GROUP) for name, value in points.items()]
        monkeypatch.setattr(opening, "entry_points", lambda group: found if group == GROUP else [])
        readers.cache_clear()
        return readers()

    yield install
    readers.cache_clear()


def test_our_readers_are_installed_under_their_own_names():
    known = {reader.name: reader for reader in readers().known}
    assert known.keys() >= set(OURS) and all(isinstance(reader, Reader) for reader in known.values())
    assert all(reader.looks_for for reader in known.values()) and not readers().broken


def test_a_reader_that_cannot_be_loaded_is_told_and_the_others_are_there(installed):
    found = installed(
        good="dap_ai.debuggees.runs.readers.atif:reader", gone="dap_ai.no_such_module:reader", odd="os:path"
    )
    assert [reader.name for reader in found.known] == ["atif"]
    assert ["'gone': cannot be loaded" in found.broken[0], "'odd': is no Reader" in found.broken[1]] == [True, True]


def test_the_same_run_is_read_twice_the_same():
    from tests.unit.debuggees.runs.shared import SAMPLES

    path = SAMPLES / "harbor" / "greet__abc"
    assert opening.open_run(path) == opening.open_run(path)

"""Kinds of debuggee are found by entry points; one that is broken is in nobody's way."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from dap_ai.agent import kinds as contract
from dap_ai.agent.case.debuggee_kind import kind_of_language
from dap_ai.agent.kinds import KindError, broken, kinds, named
from dap_ai.commands import doctor


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch):
    """Installs kinds, by name and place."""

    def install(**places: str) -> None:
        found = [EntryPoint(name, place, contract.GROUP) for name, place in places.items()]
        monkeypatch.setattr(contract, "entry_points", lambda group: found)
        contract._loaded.cache_clear()

    yield install
    monkeypatch.undo()
    contract._loaded.cache_clear()


def test_dap_ai_brings_three():
    assert {each.name for each in kinds()} == {"native", "python", "run"}


def test_a_kind_that_does_not_load_is_left_out_with_the_reason(points):
    points(python="dap_ai.debuggees.python.kind:kind", bad="no_such_package:kind")
    assert [each.name for each in kinds()] == ["python"]
    assert "no_such_package" in broken()["bad"]


def test_doctor_names_it(points):
    points(python="dap_ai.debuggees.python.kind:kind", bad="no_such_package:kind")
    (check,) = doctor._kinds()
    assert "'bad'" in check.name
    assert "no_such_package" in check.found


def test_a_stop_of_such_a_kind_is_refused_with_the_reason(points):
    points(python="dap_ai.debuggees.python.kind:kind", bad="no_such_package:kind")
    with pytest.raises(KindError, match="no_such_package"):
        named("bad")


def test_a_stop_of_a_kind_that_is_not_installed_is_refused_with_those_that_are():
    with pytest.raises(KindError, match="installed: native, python, run"):
        named("cobol")


@pytest.mark.parametrize(("language", "name"), [("rust", "native"), ("python", "python"), ("cobol", "python")])
def test_source_belongs_to_the_kind_of_its_language(language: str, name: str):
    assert kind_of_language(language).name == name

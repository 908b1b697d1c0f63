"""The values at the raise, where cleanup has changed them before anybody looks: captured on Python 3.12 and newer."""

from __future__ import annotations

import json
import subprocess

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.settings.configuration import Settings
from tests.conftest import ROOT, TESTS
from tests.integration.live import live
from tests.patience import patient

FOLDER = TESTS / "debuggees" / "captured"
NEWER = ("3.12", "3.13", "3.14")
_LINES = (FOLDER / "account.py").read_text("utf-8").splitlines()
AFTER = next(number for number, line in enumerate(_LINES, 1) if "rows.items.clear()" in line)
"""A line that runs after the failure."""


def watched(python):
    command = [str(python), str(FOLDER / "watched.py"), str(ROOT)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=patient(60.0)).stdout)


@pytest.fixture(scope="module", params=NEWER)
def newer(request, python_versions):
    if request.param not in python_versions:
        pytest.skip(f"no Python {request.param} here")
    return watched(python_versions[request.param])


def test_a_frame_is_captured_as_it_was_before_its_own_finally(newer):
    assert newer["begun"]
    assert newer["frames"] == [["fail", {"data": [1, 2, 3], "n": 3}]]


def test_variables_of_a_held_process_show_what_they_held_beside_what_they_hold(newer):
    then = {"data (when it failed)": "[1, 2, 3]", "n (when it failed)": "3"}
    assert newer["held"] == {"data": "[]", "n": "0"} | then


def test_the_program_notices_nothing_and_its_objects_end_when_they_would(newer):
    assert newer["noticed"] == ["del", "weak", "after"] or newer["noticed"] == ["weak", "del", "after"]


def test_where_raising_costs_too_much_the_event_is_off_until_that_is_earned_again(newer):
    assert newer["on"] is False
    assert newer["kept"] <= 16
    assert newer["again"] is True


def test_no_capture_is_taken_for_that_of_a_later_exception_with_the_same_address(newer):
    assert newer["of another"] == 0


def test_an_older_python_has_no_capture(python_versions):
    found = watched(python_versions.get("3.11") or pytest.skip("no Python 3.11 here"))
    assert found["begun"] is False
    assert found["frames"] == []


@pytest.mark.parametrize("version", ["3.11", "3.12"])
def test_ask_explains_a_failure_by_the_values_at_the_raise_or_by_none(python_versions, run_dap_ai, version):
    if version not in python_versions:
        pytest.skip(f"no Python {version} here")
    ended = run_dap_ai("ask", "-v", "--python", python_versions[version], FOLDER / "account.py")
    said = (ended.stdout + ended.stderr).decode()
    if version in NEWER:
        assert "- `s['n']` = `3` when it failed, now `0`" in said
        assert "`{'open': True, 'n': 3}` when it failed, now `{'open': False, 'n': 0}`" in said
    else:
        assert "Cleanup has run since; what these held at the failure is not known: " in said
        assert "`s['n']` = `0`" not in said
    suspects = said.partition("**What happened.**")[0]
    assert "**Root cause" in suspects
    assert f"account.py:{AFTER}`" not in suspects


@pytest.mark.anyio
async def test_an_editor_lists_what_a_variable_held_beside_what_it_holds(python_versions):
    if "3.12" not in python_versions:
        pytest.skip("no Python 3.12 here")
    launch = {"program": str(FOLDER / "account.py"), "python": [str(python_versions["3.12"])]}
    async with live(SessionOptions(), SessionAgent(Settings())) as session:
        await session.start("launch", launch | {"console": "internalConsole"})
        thread = (await session.stopped())["threadId"]
        frames = (await session.request("stackTrace", {"threadId": thread}))["stackFrames"]
        scopes = (await session.request("scopes", {"frameId": frames[0]["id"]}))["scopes"]
        reference = scopes[0]["variablesReference"]
        rows = (await session.request("variables", {"variablesReference": reference}))["variables"]
    values = {row["name"]: row["value"] for row in rows}
    assert values["s (when it failed)"] == "{'open': True, 'n': 3}"
    assert values["s"] == "{'open': False, 'n': 0}"


def test_a_variable_of_the_module_is_told_as_it_was_too(python_versions, run_dap_ai):
    if "3.12" not in python_versions:
        pytest.skip("no Python 3.12 here")
    ended = run_dap_ai("ask", "--python", python_versions["3.12"], FOLDER / "of_module.py")
    assert b"`box.n` is `3`, not `4`" in ended.stdout

"""Which session is meant, and how those that are there are told."""

from __future__ import annotations

import time
from pathlib import Path

import click
import pytest

from dap_ai.commands.running.joinable_sessions import NothingStopped, SessionStatus, choose
from dap_ai.commands.sessions import _row, age
from dap_ai.protocol.wire.session_messages import SessionInfo, SessionStop


def about(session_id, state="stopped", program="/w/shop.py", **more):
    stop = SessionStop(1, "exception", "ValueError", "x") if state == "stopped" else None
    told = {"backend": "debugpy", "client": "VS Code", "started": time.time() - 90, **more}
    return SessionInfo(session_id, program=program, state=state, stop=stop, **told)


def seen(*abouts):
    return [SessionStatus(one.id, one) for one in abouts]


AB, AB1 = about("ab12"), about("ab1")
CD = about("cd34", program="/w/till.py")
RUNS = about("ef56", "running", "/w/till.py")
CHILD = about("9a0b", parent="ef56")


@pytest.mark.parametrize(
    ("there", "wanted", "found"),
    [
        ([AB], "", AB),
        ([AB, RUNS], "", AB),
        ([AB, CD], "cd34", CD),
        ([AB, CD], "c", CD),
        ([AB, CD], "till.py", CD),
        ([AB, CD], "/w/till.py", CD),
        ([RUNS, CD], "till.py", CD),
        ([AB, AB1], "ab1", AB1),
        ([RUNS, CHILD, AB], "ef56", CHILD),
    ],
)
def test_a_session_is_meant_by_id_by_its_start_by_program_or_by_being_the_only_one_that_is_stopped(
    there, wanted, found
):
    assert choose(seen(*there), wanted) == found


def test_a_program_may_be_named_as_seen_from_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = about("ab12", program=str(tmp_path / "src" / "shop.py"))
    assert choose(seen(here, CD), str(Path("src") / "shop.py")) == here


def test_several_that_are_stopped_are_named():
    with pytest.raises(click.UsageError, match=r"ab12 \(shop.py\), cd34 \(till.py\).*--join ab12"):
        choose(seen(AB, CD), "")


def test_a_start_that_several_ids_have_is_no_choice():
    with pytest.raises(click.UsageError, match="several"):
        choose(seen(AB, about("ab77")), "ab")


def test_a_session_that_is_not_there_is_told_beside_those_that_are():
    with pytest.raises(click.UsageError, match=r"no session 'shop'; there is: cd34 \(till.py\), 99ff"):
        choose([*seen(CD), SessionStatus("99ff", error="does not answer")], "shop")


def test_where_none_is_stopped_it_is_said_which_run_and_what_to_do():
    with pytest.raises(NothingStopped, match=r"ef56 \(till.py\) is running. Pause it in the editor"):
        choose(seen(RUNS), "")


def test_where_none_is_there_it_is_said_how_to_get_one():
    with pytest.raises(NothingStopped, match="dap-ai serve"):
        choose([], "")


def test_a_row_tells_why_and_where_a_session_stands():
    row = _row(SessionStatus("ab12", about("ab12"), "shop.py:2 in total: return 1"))
    assert row == (
        "ab12",
        "/w/shop.py",
        "debugpy",
        "VS Code",
        "1 min",
        "stopped: ValueError at shop.py:2 in total: return 1",
    )


def test_a_child_is_told_with_its_parent():
    assert "(child of ab12)" in _row(SessionStatus("cd34", about("cd34", parent="ab12")))[1]


def test_a_session_that_does_not_answer_has_a_row_too():
    assert _row(SessionStatus("ab12", error="does not answer")) == ("ab12", "", "", "", "", "does not answer")


def test_nothing_that_a_session_says_is_obeyed_by_a_terminal():
    hostile = about("ab12", program="/w/\x1b[2Jx\n.py", started=61.0)
    hostile.stop = SessionStop(1, "exception", "a\x1b]0;title\x07\nb")
    assert all(char.isprintable() for cell in _row(SessionStatus("ab12", hostile, "\x1b[31m")) for char in cell)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.9, "59 s"), (60, "1 min"), (7200, "2 h"), (86400 * 3, "3 d")]
)
def test_an_age_is_told_in_its_largest_unit(seconds, text):
    assert age(seconds) == text

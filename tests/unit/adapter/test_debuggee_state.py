"""The stops and edits of a debugged program, as events and requests change them."""

from __future__ import annotations

import pytest

from dap_ai.adapter.state.debuggee import DebuggeeState, Phase
from dap_ai.protocol.contracts.question import ValueEdit
from dap_ai.protocol.wire.dap_messages import ContinuedBody, FrameId, StoppedBody

FIRST = StoppedBody("breakpoint", thread_id=1)
SECOND = StoppedBody("step", thread_id=2)
CALLED = StoppedBody("function call", thread_id=1)


@pytest.fixture
def state() -> DebuggeeState:
    """A running program that has stopped at a breakpoint."""
    state = DebuggeeState()
    state.on_start()
    state.on_started()
    state.on_stopped(FIRST)
    return state


def test_the_last_stop_is_that_of_the_thread_that_stopped_last(state: DebuggeeState):
    state.on_stopped(SECOND)
    state.on_stopped(FIRST)
    assert state.last_stop() is FIRST


def test_a_call_of_a_function_after_a_resume_is_a_stop_of_its_own(state: DebuggeeState):
    state.on_continued(ContinuedBody(1, all_threads_continued=True))
    state.on_stopped(FIRST)
    state.on_resume(1, single_thread=False)
    state.on_stopped(CALLED)
    assert state.last_stop() is CALLED


def test_a_resume_that_failed_restores_its_stop(state: DebuggeeState):
    state.on_resume_failed(state.on_resume(1, single_thread=False))
    assert state.stops == {1: FIRST}


def test_a_resume_that_failed_after_another_thread_has_stopped_restores_nothing(state: DebuggeeState):
    before = state.on_resume(1, single_thread=False)
    state.on_stopped(SECOND)
    state.on_resume_failed(before)
    assert state.stops == {2: SECOND}


def test_a_resume_that_failed_because_the_program_ended_restores_nothing(state: DebuggeeState):
    before = state.on_resume(1, single_thread=False)
    state.on_ended()
    state.on_resume_failed(before)
    assert not state.stopped


def test_a_program_that_is_started_again_has_no_edits(state: DebuggeeState):
    state.edits.append(ValueEdit("n", "1", "0", "", "main", "/a.py", 7, 1, by_user=True))
    state.on_start()
    assert state.edits == []


def test_a_restart_that_succeeded_is_not_undone_by_a_later_failure(state: DebuggeeState):
    state.on_ended()
    state.on_restart()
    state.on_started()
    state.on_restart_failed()
    assert state.phase is Phase.RUNNING


def test_a_restart_that_failed_keeps_whether_the_client_has_heard_of_the_end(state: DebuggeeState):
    state.on_ended()
    state.terminated = True
    state.on_restart()
    state.on_restart_failed()
    assert (state.phase, state.terminated) == (Phase.ENDED, True)


def test_the_files_of_an_exception_are_those_of_its_frames_and_each_stands_once():
    state = DebuggeeState()
    state.on_stopped(StoppedBody("exception", thread_id=1))
    frames = [FrameId(n, source={"path": path}) for n, path in enumerate(["/a.py", "/b.py", "/a.py"])]
    state.on_frames(1, [*frames, FrameId(9)])
    state.on_frames(1, [FrameId(8, source={"path": "/c.py"})])
    assert state.failing_files == ("/a.py", "/b.py")


def test_a_stop_at_a_breakpoint_has_no_files_of_an_exception(state: DebuggeeState):
    state.on_frames(1, [FrameId(1, source={"path": "/a.py"})])
    assert state.failing_files == ()
    assert state.frames == {1: 1}


def test_a_program_that_stops_before_its_launch_is_answered_runs():
    state = DebuggeeState()
    state.on_start()
    state.on_stopped(FIRST)
    assert state.phase is Phase.RUNNING

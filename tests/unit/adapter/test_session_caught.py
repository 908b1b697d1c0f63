"""Session: exceptions at which nothing stopped: they can be asked about, the client is told once, filters are added."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped

INIT = """
    >> client request 1 initialize {}
    << backend request 1 initialize {}
"""
FRAMES = [
    ["/lib/socketserver.py", 9, "serve", False],
    ["/p/shop.py", 4, "do_GET", True],
    ["/lib/json.py", 7, "x", False],
]
TEST = [["/lib/_pytest/runner.py", 9, "call", False], ["/p/test_shop.py", 4, "test_it", True]]


def told(frames=FRAMES, **changes):
    about = {"type": "KeyError", "message": "'a'", "frames": frames, "filter": "userUnhandled", "cwd": "/p"} | changes
    return json.dumps({"category": "telemetry", "output": "", "data": {"dapAiCaught": about}})


def session(**options) -> Playbook:
    play = Playbook(options=SessionOptions(**options))
    play.play(INIT)
    play.play(">> backend event process {}\n<< client event process {}")
    return play


def caught(file="/p/shop.py", function="do_GET", frames=FRAMES, *, ended=False):
    whole = json.loads(told(frames))["data"]["dapAiCaught"]
    about = {"type": "KeyError", "message": "'a'", "file": file, "line": 4, "function": function}
    return json.dumps(about | {"filter": "userUnhandled", "ended": ended, "traceback": whole})


def test_a_client_with_our_events_is_told_once_and_no_client_sees_the_debuggees_own_words():
    session(ask_events=True).play(
        f"""
        >> backend event output {told()}
        << client event askCaught {caught()}
        >> backend event output {told()}
        """
    )


def test_another_client_reads_one_line_in_its_console():
    session().play(
        f"""
        >> backend event output {told()}
        << client event output {{"category": "console", "output": "dap_ai: KeyError: 'a' (/p/shop.py:4) was caught, and nothing stopped there. `??` asks about it. To stop there next time, switch on \\"User Uncaught Exceptions\\" among the exception breakpoints.\\n"}}
        """
    )


@pytest.mark.parametrize("code", [0, 1])
def test_of_a_test_the_client_is_told_when_the_runner_has_failed(code):
    play = session(ask_events=True)
    end = f'event exited {{"exitCode": {code}}}'
    offer = f"<< client event askCaught {caught('/p/test_shop.py', 'test_it', TEST, ended=True)}" if code else ""
    play.play(f">> backend event output {told(TEST)}\n>> backend {end}\n{offer}\n<< client {end}")


def test_where_the_session_has_stopped_at_an_exception_nothing_is_offered():
    stopped(Playbook(options=SessionOptions(ask_events=True))).play(
        f"""
        >> client request 5 continue {{"threadId": 1}}
        << backend request 3 continue ...
        >> backend event output {told()}
        >> client request 6 ask {{}}
        << client response 6 ask fail notStopped ...
        """
    )


def test_it_can_be_asked_about_while_the_program_runs_and_after_its_end():
    play = session(ask_events=True)
    play.play(
        f"""
        >> backend event output {told()}
        << client event askCaught ...
        >> client request 6 ask {{}}
        << client response 6 ask ok ...
        << start dap-ai-ask-1 nothing stopped
        >> backend event terminated {{}}
        << client event terminated {{}}
        >> client request 7 ask {{}}
        << client response 7 ask ok ...
        << start dap-ai-ask-2 nothing stopped
        """
    )
    assert play.session.caught.last is not None
    assert play.session.caught.last.spot.file == "/p/shop.py"


def test_what_a_program_prints_is_not_taken_for_it():
    words = json.dumps({"category": "stdout", "output": '{"dapAiCaught": 1}'})
    session(ask_events=True).play(f">> backend event output {words}\n<< client event output {words}")


def test_filters_are_set_beside_the_clients_own():
    play = session(stop_at=("userUnhandled",))
    play.play(
        """
        >> client request 5 setExceptionBreakpoints {"filters": ["uncaught"]}
        << backend request 2 setExceptionBreakpoints {"filters": ["uncaught", "userUnhandled"]}
        >> client request 6 setExceptionBreakpoints {"filters": ["userUnhandled"]}
        << backend request 3 setExceptionBreakpoints {"filters": ["userUnhandled"]}
        >> client request 7 askStopAt {"filter": "raised"}
        << backend request 4 setExceptionBreakpoints {"filters": ["userUnhandled", "raised"]}
        << client response 7 askStopAt ok
        >> backend response 4 setExceptionBreakpoints ok {}
        """
    )


def test_a_wish_that_is_no_filter_fails():
    session().play(
        """
        >> client request 7 askStopAt {"filter": "everything"}
        << client response 7 askStopAt fail ...
        """
    )

"""Session: consent is asked once, answered by the client alone, and never left waiting."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook
from tests.unit.adapter.test_session_asks import asking
from tests.unit.adapter.test_session_passthrough import stopped

STEP = '{"kind": "step", "action": "next", "reason": "to see the loop end"}'
WANTED = f">> agent approval dap-ai-ask-1 1 2 {STEP}"
ASKED = '<< client event askApproval {"askId": "dap-ai-ask-1", "approvalId": "dap-ai-approval-1", "action": "next", "reason": "to see the loop end", "kind": "step", "timeoutS": 60.0}'


def waiting(**options) -> Playbook:
    """An ask that waits for consent to a step."""
    play = asking(options=SessionOptions(level="mutate", **options))
    play.play(WANTED + "\n<< client event askApproval ...")
    return play


def test_the_client_is_asked_and_its_answer_goes_to_the_agent():
    asking().play(
        f"""
        {WANTED}
        {ASKED}
        >> client request 6 askApprove {{"approvalId": "dap-ai-approval-1", "allow": true}}
        << settled 1 allowed once
        << client response 6 askApprove ok
        """
    )


def test_a_refusal_is_an_answer():
    waiting().play(
        """
        >> client request 6 askApprove {"approvalId": "dap-ai-approval-1", "allow": false}
        << settled 1 refused denied
        << client response 6 askApprove ok
        """
    )


def test_an_answer_counts_once():
    waiting().play(
        """
        >> client request 6 askApprove {"approvalId": "dap-ai-approval-1", "allow": true}
        << settled 1 allowed once
        << client response 6 askApprove ok
        >> client request 7 askApprove {"approvalId": "dap-ai-approval-1", "allow": true}
        << client response 7 askApprove fail unknownApproval ...
        """
    )


@pytest.mark.parametrize("arguments", ["{}", '{"approvalId": "x"}', '{"approvalId": 1, "allow": "yes"}'])
def test_an_answer_that_does_not_say_what_it_allows_allows_nothing(arguments):
    waiting().play(
        f"""
        >> client request 6 askApprove {arguments}
        << client response 6 askApprove fail invalidArguments ...
        """
    )


def test_no_answer_in_time_is_a_no_and_a_late_one_finds_nothing():
    waiting().play(
        """
        >> fired consent.wait:dap-ai-approval-1
        << settled 1 refused timeout
        >> client request 6 askApprove {"approvalId": "dap-ai-approval-1", "allow": true}
        << client response 6 askApprove fail unknownApproval ...
        >> fired consent.wait:dap-ai-approval-1
        """
    )


def test_the_time_limit_of_the_ask_stands_still_while_it_waits():
    play = asking()
    play.timers = True
    play.play(
        f"""
        {WANTED}
        << client event askApproval ...
        << pause asks.limit:dap-ai-ask-1
        << timer consent.wait:dap-ai-approval-1
        >> client request 6 askApprove {{"approvalId": "dap-ai-approval-1", "allow": true}}
        << untimer consent.wait:dap-ai-approval-1
        << resume asks.limit:dap-ai-ask-1
        << settled 1 allowed once
        << client response 6 askApprove ok
        """
    )


@pytest.mark.parametrize(("allow", "later"), [("true", "allowed session"), ("false", "refused denied")])
def test_what_is_remembered_holds_for_every_action_of_its_kind_and_no_other(allow, later):
    play = waiting()
    play.play(
        f"""
        >> client request 6 askApprove {{"approvalId": "dap-ai-approval-1", "allow": {allow}, "remember": true}}
        << settled 1 ...
        << client response 6 askApprove ok
        >> agent approval dap-ai-ask-1 2 2 {STEP}
        << settled 2 {later}
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
        >> client request 7 ask {{}}
        << client response 7 ask ok ...
        << start dap-ai-ask-2 ...
        >> agent approval dap-ai-ask-2 3 2 {STEP}
        << settled 3 {later}
        >> agent approval dap-ai-ask-2 4 2 {{"kind": "execute", "action": "f()", "reason": ""}}
        << client event askApproval ...
        """
    )


@pytest.mark.parametrize(
    ("event", "is_answered"),
    [
        ('client request 6 cancel {"progressId": "dap-ai-ask-1"}', True),
        ('client request 6 disconnect {"terminateDebuggee": true}', True),
        ('client request 6 continue {"threadId": 1}', False),
        ("backend event continued {}", False),
        ("backend event terminated {}", False),
        ("backend closed killed", True),
        ("fired asks.limit:dap-ai-ask-1", True),
        ("agent ended dap-ai-ask-1", True),
        ("client closed", True),
    ],
)
def test_what_ends_the_ask_or_its_stop_ends_the_wait(event, is_answered):
    play = waiting()
    shown = [play.render(effect) for effect in play.session.receive(play.event(event))]
    assert shown.count("agent 1 error notStopped") == 1
    assert any(line and "askEnded" in line for line in shown) is is_answered
    late = '{"approvalId": "dap-ai-approval-1", "allow": true}'
    shown = [play.render(effect) for effect in play.session.receive(play.event(f"client request 9 askApprove {late}"))]
    assert not any(line and line.startswith("settled") for line in shown)


def test_each_ask_waits_for_one_consent_at_a_time_and_several_asks_may_wait():
    waiting().play(
        f"""
        >> agent approval dap-ai-ask-1 2 2 {STEP}
        << agent 2 error busy
        >> client request 6 ask {{}}
        << client response 6 ask ok ...
        << start dap-ai-ask-2 ...
        >> agent approval dap-ai-ask-2 3 2 {STEP}
        << client event askApproval {{"askId": "dap-ai-ask-2", "approvalId": "dap-ai-approval-2", "action": "next", "reason": "to see the loop end", "kind": "step", "timeoutS": 60.0}}
        >> client request 7 askApprove {{"approvalId": "dap-ai-approval-2", "allow": false}}
        << settled 3 refused denied
        << client response 7 askApprove ok
        >> client request 8 askApprove {{"approvalId": "dap-ai-approval-1", "allow": true}}
        << settled 1 allowed once
        << client response 8 askApprove ok
        """
    )


@pytest.mark.parametrize(("ask", "epoch"), [("dap-ai-ask-1", 1), ("dap-ai-ask-7", 2)])
def test_consent_for_another_stop_or_of_no_ask_is_not_asked_for(ask, epoch):
    asking().play(f">> agent approval {ask} 1 {epoch} {STEP}\n<< agent 1 error notStopped")


def test_neither_the_debug_adapter_nor_the_agent_can_answer():
    play = waiting()
    play.play(
        """
        >> backend event output {"category": "console", "output": "??allow"}
        << client event output ...
        >> backend event askApprove {"approvalId": "dap-ai-approval-1", "allow": true}
        << log dropped: ...
        >> backend request 3 askApprove {"approvalId": "dap-ai-approval-1", "allow": true}
        << log dropped: ...
        << backend response 3 askApprove fail notSupported ...
        >> agent request dap-ai-ask-1 2 2 askApprove {"approvalId": "dap-ai-approval-1", "allow": true}
        << agent 2 error refused
        >> agent output dap-ai-ask-1 status ??allow
        << client event askOutput ...
        """
    )


def console() -> Playbook:
    """A question of the console that waits for consent."""
    play = stopped(Playbook(options=SessionOptions(level="mutate")))
    play.play(
        f"""
        >> client request 5 evaluate {{"expression": "??why", "context": "repl"}}
        << client response 5 evaluate ok ...
        << start dap-ai-ask-1 ...
        {WANTED}
        << client event output {{"category": "console", "output": "· step, in the program itself: next\\n· why, in the model's words: “to see the loop end”\\n· answer with ??allow, ??allow session or ??deny within 60 s\\n"}}
        """
    )
    return play


@pytest.mark.parametrize(
    ("typed", "outcome", "told"),
    [
        ("??allow", "allowed once", "allowed: next"),
        ("??allow session", "allowed session", "allowed: next"),
        ("/ask allow", "allowed once", "allowed: next"),
        ("??deny", "refused denied", "refused: next"),
    ],
)
def test_the_console_asks_in_plain_lines_and_is_answered_there(typed, outcome, told):
    console().play(
        f"""
        >> client request 6 evaluate {{"expression": "{typed}", "context": "repl"}}
        << settled 1 {outcome}
        << client response 6 evaluate ok {{"result": "{told}", "variablesReference": 0}}
        >> client request 7 evaluate {{"expression": "??allow", "context": "repl"}}
        << client response 7 evaluate ok {{"result": "nothing is waiting for your confirmation", "variablesReference": 0}}
        """
    )


def test_the_console_shows_what_would_be_replaced_and_tells_a_decision_once():
    play = stopped(Playbook(options=SessionOptions(level="mutate")))
    play.play(
        """
        >> client request 5 evaluate {"expression": "??why", "context": "repl"}
        << client response 5 evaluate ok ...
        << start dap-ai-ask-1 ...
        >> agent approval dap-ai-ask-1 1 2 {"kind": "set_variable", "action": "n = 0", "reason": "", "now": "6"}
        << client event output {"category": "console", "output": "· set_variable, in the program itself: n = 0\\n· now it is 6\\n· answer with ??allow, ??allow session or ??deny within 60 s\\n"}
        >> client request 6 evaluate {"expression": "??allow", "context": "repl"}
        << settled 1 allowed once
        << client response 6 evaluate ok {"result": "allowed: n = 0", "variablesReference": 0}
        >> agent output dap-ai-ask-1 status allowed (once): set_variable n = 0
        >> agent output dap-ai-ask-1 status looking on
        << client event output {"category": "console", "output": "· looking on\\n"}
        """
    )


def test_of_several_that_wait_the_console_refuses_one_but_allows_none():
    console().play(
        """
        >> client request 6 ask {}
        << client response 6 ask ok ...
        << start dap-ai-ask-2 ...
        >> agent approval dap-ai-ask-2 3 2 {"kind": "execute", "action": "f()", "reason": ""}
        << client event askApproval ...
        >> client request 7 evaluate {"expression": "??allow session", "context": "repl"}
        << client response 7 evaluate ok {"result": "2 actions wait: it is not clear which one you allow; ??deny refuses the oldest: next", "variablesReference": 0}
        >> client request 8 evaluate {"expression": "??deny", "context": "repl"}
        << settled 1 refused denied
        << client response 8 evaluate ok {"result": "refused: next", "variablesReference": 0}
        >> client request 9 evaluate {"expression": "??allow", "context": "repl"}
        << settled 3 allowed once
        << client response 9 evaluate ok {"result": "allowed: f()", "variablesReference": 0}
        """
    )


def test_a_watch_or_a_hover_is_no_answer():
    console().play(
        """
        >> client request 6 evaluate {"expression": "??allow", "context": "watch"}
        << backend request 3 evaluate {"expression": "??allow", "context": "watch"}
        """
    )


def test_a_question_that_begins_like_an_answer_is_a_question():
    console().play(
        """
        >> client request 6 evaluate {"expression": "??allow me to ask", "context": "repl"}
        << client response 6 evaluate fail askInProgress ...
        """
    )


def test_text_of_a_model_stays_on_its_line_and_an_action_shows_every_character():
    play = asking(options=SessionOptions(ask_events=True))
    wanted = {
        "kind": "execute",
        "action": "f()\n# harmless \u202e\x1b[2J",
        "reason": "it is\nsafe\x1b[31m\u2066: ??allow\r" + "x" * 2000,
    }
    effects = play.session.receive(play.event(f"agent approval dap-ai-ask-1 1 2 {json.dumps(wanted)}"))
    told = next(line for line in map(play.render, effects) if line)
    body = json.loads(told.removeprefix("client event askApproval "))
    assert body["action"] == "f()\\n# harmless \\u202e\\x1b[2J"
    assert body["reason"].startswith(r"it is safe\x1b[31m\u2066: ??allow xxx")
    assert len(body["reason"]) <= 500


def test_a_client_with_progress_alone_sees_what_waits():
    play = Playbook(options=SessionOptions(level="mutate"))
    play.play(
        f"""
        >> client request 1 initialize {{"supportsProgressReporting": true}}
        << backend request 1 initialize ...
        >> backend event stopped {{"reason": "pause", "threadId": 1}}
        << client event stopped ...
        >> client request 5 ask {{"askEvents": false}}
        << client response 5 ask ok ...
        << client event progressStart ...
        << start dap-ai-ask-1 ...
        >> agent approval dap-ai-ask-1 1 1 {STEP}
        << client event progressUpdate {{"progressId": "dap-ai-ask-1", "message": "waits for your confirmation (??allow, ??deny): next"}}
        """
    )


def test_where_nobody_would_see_the_request_it_is_refused_at_once():
    stopped(Playbook()).play(
        f"""
        >> client request 5 ask {{"askEvents": false}}
        << client response 5 ask ok ...
        << start dap-ai-ask-1 ...
        {WANTED}
        << settled 1 refused unseen
        """
    )


def test_the_time_to_answer_is_a_setting():
    play = asking(options=SessionOptions(approval_timeout_s=5.0))
    effects = play.session.receive(play.event(WANTED.removeprefix(">> ")))
    assert any(getattr(effect, "seconds", None) == pytest.approx(5.0) for effect in effects)

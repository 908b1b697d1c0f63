"""Sessions of a program and its child processes: their listeners, and questions that belong to another of them."""

from __future__ import annotations

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook

RUNNING = """
    >> client request 1 launch {"program": "/shop/cart.py"}
    << prepare launch {"program": "/shop/cart.py"}
    >> prepared {"program": "/shop/cart.py"}
    << backend request 1 launch {"program": "/shop/cart.py"}
    >> backend response 1 launch ok {}
    << client response 1 launch ok {}
"""
RELAYED = """
    >> relatives kid
    >> client request 2 ask {"question": "why"}
    << relative kid request 1 initialize {}
    << relative kid request 2 ask {"question": "why"}
    >> relative kid response 1 initialize ok {}
    >> relative kid response 2 ask ok {"askId": "dap-ai-ask-kid-1", "conversationId": "conversation-kid-1"}
    << client response 2 ask ok {"askId": "dap-ai-ask-kid-1", "conversationId": "conversation-kid-1"}
    << client event askOutput {"askId": "dap-ai-ask-kid-1", "category": "status", "output": "about kid...
"""


@pytest.fixture
def running() -> Playbook:
    book = Playbook()
    book.play(RUNNING)
    return book


# -- listeners ----------------------------------------------------------------------------------------------------------


def test_what_names_the_adapters_listener_is_held_until_ours_is_there(running: Playbook):
    running.play("""
        >> backend event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 5000}, "subProcessId": 9}
        << listen 127.0.0.1 5000
        >> backend event output {"output": "meanwhile"}
        << client event output {"output": "meanwhile"}
        >> listener 127.0.0.1 5000 6000
        << client event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 6000}, "subProcessId": 9}
    """)


def test_a_second_child_uses_the_same_listener(running: Playbook):
    running.play("""
        >> backend event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 5000}, "subProcessId": 9}
        << listen 127.0.0.1 5000
        >> listener 127.0.0.1 5000 6000
        << client event debugpyAttach ...
        >> backend event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 5000}, "subProcessId": 10}
        << client event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 6000}, "subProcessId": 10}
    """)


def test_the_configuration_of_start_debugging_leads_through_ours_and_its_answer_back(running: Playbook):
    running.play("""
        >> backend request 7 startDebugging {"request": "attach", "configuration": {"connect": {"port": 5000}, "x": 1}}
        << listen 127.0.0.1 5000
        >> listener 127.0.0.1 5000 6000
        << client request 2 startDebugging {"configuration": {"connect": {"host": "127.0.0.1", "port": 6000}, "x": 1}...
        >> client response 2 startDebugging ok
        << backend response 7 startDebugging ok {}
    """)


def test_start_debugging_without_an_address_passes_as_it_is(running: Playbook):
    running.play("""
        >> backend request 7 startDebugging {"request": "launch", "configuration": {"program": "/a"}}
        << expect {"program": "/a"}
        << client request 2 startDebugging {"request": "launch", "configuration": {"program": "/a"}}
    """)


def test_without_a_listener_of_ours_the_child_goes_past_us(running: Playbook):
    running.play("""
        >> backend event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 5000}}
        << listen 127.0.0.1 5000
        >> listener 127.0.0.1 5000 0
        << log a child session goes past dap_ai: no port could be opened for it
        << client event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 5000}}
    """)


def test_the_token_goes_with_the_child():
    book = Playbook(options=SessionOptions(child_token="T"))
    book.play("""
        >> backend event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 5000}}
        << listen 127.0.0.1 5000
        >> listener 127.0.0.1 5000 6000
        << client event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 6000}, "dapAiToken": "T"}
    """)


def test_a_configuration_without_an_address_is_given_the_token_too():
    book = Playbook(options=SessionOptions(token="T"))
    book.play("""
        >> backend request 7 startDebugging {"request": "launch", "configuration": {"__pendingTargetId": "a"}}
        << expect {"__pendingTargetId": "a"}
        << client request 1 startDebugging {"configuration": {"__pendingTargetId": "a", "dapAiToken": "T"}...
    """)


@pytest.mark.parametrize(
    "given", ['"connect": {"host": "127.0.0.1", "port": 6000}', '"host": "localhost", "port": 6000']
)
def test_the_adapter_is_told_its_own_address_by_a_childs_client(given: str):
    Playbook().play(f"""
        >> client request 1 attach {{"subProcessId": 9, {given}}}
        << prepare attach {{"subProcessId": 9, {given}}}
        >> prepared at 127.0.0.1 5000 {{"subProcessId": 9, {given}}}
        << backend request 1 attach {{"subProcessId": 9, "connect": {{"host": "127.0.0.1", "port": 5000}}}}
    """)


# -- questions ----------------------------------------------------------------------------------------------------------


def test_a_question_goes_to_the_child_that_is_stopped(running: Playbook):
    running.play(
        RELAYED
        + """
        >> relative kid event askOutput {"askId": "dap-ai-ask-kid-1", "category": "answer", "output": "Because."}
        << client event askOutput {"askId": "dap-ai-ask-kid-1", "category": "answer", "output": "Because."}
        >> relative kid event stopped {"reason": "step"}
        >> relative kid event askEnded {"askId": "dap-ai-ask-kid-1"}
        << client event askEnded {"askId": "dap-ai-ask-kid-1"}
    """
    )


def test_while_several_are_stopped_they_are_named(running: Playbook):
    running.play("""
        >> relatives kid imp
        >> client request 2 ask {}
        << client response 2 ask fail severalStopped ...
    """)


def test_a_session_that_is_stopped_itself_answers_itself(running: Playbook):
    running.play("""
        >> relatives kid
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped {"reason": "pause", "threadId": 1}
        >> client request 2 ask {}
        << client response 2 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
    """)


def test_consent_cancel_and_follow_ups_go_where_the_ask_went(running: Playbook):
    running.play(
        RELAYED
        + """
        >> relative kid event askApproval {"askId": "dap-ai-ask-kid-1", "approvalId": "dap-ai-approval-kid-1"}
        << client event askApproval {"askId": "dap-ai-ask-kid-1", "approvalId": "dap-ai-approval-kid-1"}
        >> client request 3 askApprove {"approvalId": "dap-ai-approval-kid-1", "allow": true}
        << relative kid request 3 askApprove {"approvalId": "dap-ai-approval-kid-1", "allow": true}
        >> client request 4 cancel {"progressId": "dap-ai-ask-kid-1"}
        << relative kid request 4 cancel {"progressId": "dap-ai-ask-kid-1"}
        >> client request 5 ask {"conversationId": "conversation-kid-1"}
        << relative kid request 5 ask {"conversationId": "conversation-kid-1"}
        >> relative kid response 4 cancel ok
        << client response 4 cancel ok {}
    """
    )


def test_a_child_that_ends_answers_what_was_asked_of_it(running: Playbook):
    running.play("""
        >> relatives kid
        >> client request 2 ask {}
        << relative kid request 1 initialize {}
        << relative kid request 2 ask {}
        >> relative kid closed
        << client response 2 ask fail ended ...
    """)


def test_a_client_that_leaves_waits_for_no_child(running: Playbook):
    running.play("""
        >> relatives kid
        >> client request 2 ask {}
        << relative kid request 1 initialize {}
        << relative kid request 2 ask {}
        >> client request 3 disconnect {}
        << client response 2 ask fail ended ...
        << backend request 2 disconnect {}
        >> relative kid response 2 ask ok {}
    """)


def test_the_console_of_the_parent_talks_with_the_child(running: Playbook):
    running.play("""
        >> relatives kid
        >> client request 2 evaluate {"expression": "??why", "context": "repl"}
        << relative kid request 1 initialize {}
        << relative kid request 2 evaluate {"expression": "??why", "context": "repl"}
        << client event output {"category": "console", "output": "· about kid.py, which is stopped in session kid\\n"}
        >> relative kid response 2 evaluate ok {"result": "dap-ai-ask-kid-1: why", "variablesReference": 0}
        << client response 2 evaluate ok {"result": "dap-ai-ask-kid-1: why", "variablesReference": 0}
        >> client request 3 evaluate {"expression": "??stop", "context": "repl"}
        << relative kid request 3 evaluate {"expression": "??stop", "context": "repl"}
    """)


def test_ids_of_a_childs_asks_are_its_own():
    book = Playbook(options=SessionOptions(session_id="kid", parent_id="mum"))
    book.play(
        RUNNING
        + """
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped {"reason": "pause", "threadId": 1}
        >> guest relative:mum request 2 ask {}
        << guest relative:mum response 2 ask ok {"askId": "dap-ai-ask-kid-1", "conversationId": "conversation-kid-1"}
        << start dap-ai-ask-kid-1 thread 1 epoch 2
    """
    )


def test_a_word_of_consent_goes_first_to_an_ask_of_this_session(running: Playbook):
    running.session.options.level = "mutate"
    running.play(
        """
        >> relatives kid
        >> client request 2 evaluate {"expression": "??why", "context": "repl"}
        << relative kid request 1 initialize {}
        << relative kid request 2 evaluate {"expression": "??why", "context": "repl"}
        << client event output ...
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped {"reason": "pause", "threadId": 1}
        >> client request 3 ask {}
        << client response 3 ask ok {"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}
        << start dap-ai-ask-1 thread 1 epoch 2
        >> agent approval dap-ai-ask-1 9 2 {"kind": "step", "action": "next", "reason": ""}
        << client event askApproval ...
        >> client request 4 evaluate {"expression": "??allow", "context": "repl"}
        << settled 9 allowed once
        << client response 4 evaluate ok {"result": "allowed: next", "variablesReference": 0}
        >> client request 5 evaluate {"expression": "??allow", "context": "repl"}
        << relative kid request 3 evaluate {"expression": "??allow", "context": "repl"}
    """
    )

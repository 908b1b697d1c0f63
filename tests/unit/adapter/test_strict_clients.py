"""What reaches a client that ends over an unknown event."""

from __future__ import annotations

import pytest

from dap_ai.adapter.state.client_info import reads
from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook


def test_an_adapters_own_event_does_not_reach_helix():
    assert not reads("hx", "debugpySockets")


@pytest.mark.parametrize("event", ["output", "stopped", "terminated", "progressEnd"])
def test_daps_own_events_reach_helix(event: str):
    assert reads("hx", event)


@pytest.mark.parametrize("client", ["vscode", "neovim", "dape", "vimspector", "zed", ""])
def test_every_event_reaches_everyone_else(client: str):
    assert reads(client, "debugpySockets")


def of_helix(options: SessionOptions | None = None) -> Playbook:
    book = Playbook(options=options)
    book.play("""
        >> client request 1 initialize {"clientID": "hx"}
        << backend request 1 initialize {"clientID": "hx"}
        >> backend response 1 initialize ok {}
        << client response 1 initialize ok ...
        >> client request 2 launch {}
        << prepare launch {}
        >> prepared {}
        << backend request 2 launch {}
        >> backend response 2 launch ok {}
        << client response 2 launch ok {}
    """)
    return book


def test_helix_is_not_told_of_a_child_by_an_event_that_it_does_not_know():
    of_helix().play("""
        >> backend event debugpyAttach {"connect": {"host": "127.0.0.1", "port": 5000}}
        >> backend event output {"output": "on"}
        << client event output {"output": "on"}
    """)


def test_helix_hears_an_answer_in_its_console_alone_whatever_is_asked_for():
    of_helix(SessionOptions(ask_events=True)).play("""
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped {"reason": "pause", "threadId": 1}
        >> client request 3 evaluate {"expression": "??", "context": "repl"}
        << client response 3 evaluate ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        >> agent output dap-ai-ask-1 answer Because.
        >> agent ended dap-ai-ask-1
        << client event output {"category": "console", "output": "Because.\\n"}
    """)


def test_what_a_child_says_of_its_ask_does_not_reach_helix_either():
    of_helix().play("""
        >> relatives kid
        >> client request 3 evaluate {"expression": "??why", "context": "repl"}
        << relative kid request 1 initialize {"clientID": "hx"}
        << relative kid request 2 evaluate {"expression": "??why", "context": "repl"}
        << client event output ...
        >> relative kid response 2 evaluate ok {"askId": "dap-ai-ask-kid-1"}
        << client response 3 evaluate ok {"askId": "dap-ai-ask-kid-1"}
        >> relative kid event askOutput {"askId": "dap-ai-ask-kid-1", "category": "answer", "output": "Because."}
        >> relative kid event output {"category": "console", "output": "Because.\\n"}
        << client event output {"category": "console", "output": "Because.\\n"}
    """)

"""Adapters that remember one frame for all: an ask and an editor each read their own (lldb-dap)."""

from __future__ import annotations

from tests.playbook import Playbook, Rules
from tests.unit.adapter.test_session_passthrough import stopped


def one_frame_for_all() -> Playbook:
    rules = Rules()
    rules.scopes_shared = True
    book = stopped(Playbook(rules))
    book.play(
        """
        >> client request 10 scopes {"frameId": 1}
        << backend request 3 scopes {"frameId": 1}
        >> backend response 3 scopes ok {"scopes": []}
        << client response 10 scopes ok {"scopes": []}
        >> client request 11 ask {"question": "why"}
        << client response 11 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        >> agent request dap-ai-ask-1 1 2 scopes {"frameId": 2}
        >> fired slots.quiet
        << backend request 4 scopes {"frameId": 2}
        >> backend response 4 scopes ok {"scopes": []}
        << agent 1 ok {"scopes": []}
        """
    )
    return book


def test_the_editor_still_reads_its_own_frame_after_an_ask_has_read_another():
    one_frame_for_all().play(
        """
        >> client request 12 variables {"variablesReference": 1}
        << backend request 5 scopes {"frameId": 1}
        << backend request 6 variables {"variablesReference": 1}
        >> backend response 5 scopes ok {"scopes": []}
        >> backend response 6 variables ok {"variables": []}
        << client response 12 variables ok {"variables": []}
        >> client request 13 variables {"variablesReference": 1}
        << backend request 7 variables {"variablesReference": 1}
        """
    )


def test_an_ask_still_reads_its_own_frame_after_the_editor_has_read_another():
    one_frame_for_all().play(
        """
        >> client request 12 scopes {"frameId": 1}
        << backend request 5 scopes {"frameId": 1}
        >> backend response 5 scopes ok {"scopes": []}
        << client response 12 scopes ok {"scopes": []}
        >> agent request dap-ai-ask-1 2 2 variables {"variablesReference": 1}
        >> fired slots.quiet
        << backend request 6 scopes {"frameId": 2}
        << backend request 7 variables {"variablesReference": 1}
        """
    )


def test_what_the_agent_may_not_be_forwarded_is_refused_and_not_sent():
    one_frame_for_all().play(
        """
        >> agent request dap-ai-ask-1 2 2 modules {}
        << agent 2 error notSupported
        """
    )


def test_a_function_that_a_watch_has_called_leaves_the_program_where_it_stood_and_for_the_same_reason():
    book = stopped(Playbook())
    before = book.session.state.last_stop()
    book.play(
        """
        >> client request 8 evaluate {"expression": "f()", "context": "watch", "frameId": 1}
        << backend request 3 evaluate {"expression": "f()", "context": "watch", "frameId": 1}
        >> backend event continued {"threadId": 1, "allThreadsContinued": true}
        << client event continued {"threadId": 1, "allThreadsContinued": true}
        >> backend event continued {"threadId": 1, "allThreadsContinued": true}
        << client event continued {"threadId": 1, "allThreadsContinued": true}
        >> backend event stopped {"threadId": 1, "allThreadsStopped": true, "reason": "function call"}
        << client event stopped {"threadId": 1, "allThreadsStopped": true, "reason": "function call"}
        >> backend response 3 evaluate ok {"result": "1", "variablesReference": 0}
        << client response 8 evaluate ok {"result": "1", "variablesReference": 0}
        """
    )
    assert book.session.state.last_stop() == before


def test_a_stop_for_each_thread_is_one_stop():
    book = stopped(Playbook())
    epoch = book.session.state.epoch
    book.play(
        """
        >> backend event stopped {"threadId": 2, "allThreadsStopped": true, "reason": "breakpoint"}
        << client event stopped {"threadId": 2, "allThreadsStopped": true, "reason": "breakpoint"}
        """
    )
    assert book.session.state.epoch == epoch
    assert set(book.session.state.stops) == {1, 2}

"""Session: the client that asks lends its model, is asked once for each reply, and alone can give it."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.asks.lent_model import MAX_REPLY_CHARS
from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped
from tests.unit.adapter.test_session_tree import RUNNING

TOLD = '{"messages": [{"role": "user", "content": "why"}], "tools": [{"type": "function"}]}'
WANTED = f">> agent model dap-ai-ask-1 1 {TOLD}"
EVENT = (
    '<< client event askModel {"requestId": "dap-ai-model-1", "askId": "dap-ai-ask-1", '
    '"messages": [{"role": "user", "content": "why"}], "tools": [{"type": "function"}]}'
)
OVER = '<< client event askModelEnded {"requestId": "dap-ai-model-1", "askId": "dap-ai-ask-1"}'
DELTA = '>> client request 6 askModelDelta {"requestId": "dap-ai-model-1", "text": "It is"}'
END = '>> client request 7 askModelEnd {"requestId": "dap-ai-model-1"}'
LATE = f"""
    {DELTA}
    << client response 6 askModelDelta ok {{"active": false}}
    {END}
    << client response 7 askModelEnd ok {{"active": false}}
"""


def lending(arguments: str = '{"providers": ["editor"]}', options: SessionOptions | None = None) -> Playbook:
    """A question of a client that lends its model."""
    play = stopped(Playbook(options=options))
    play.play(f"""
        >> client request 5 ask {arguments}
        << client response 5 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
    """)
    return play


def asked(**options) -> Playbook:
    """The same, once its model is asked."""
    play = lending(**options)
    play.play(f"{WANTED}\n{EVENT}")
    return play


def test_a_reply_goes_to_the_agent_piece_by_piece_and_with_its_calls():
    asked().play("""
        >> client request 6 askModelDelta {"requestId": "dap-ai-model-1", "reasoning": "hm"}
        << lent 1 {"reasoning": "hm"}
        << client response 6 askModelDelta ok {"active": true}
        >> client request 7 askModelDelta {"requestId": "dap-ai-model-1", "text": "It is"}
        << lent 1 {"text": "It is"}
        << client response 7 askModelDelta ok {"active": true}
        >> client request 8 askModelEnd {"requestId": "dap-ai-model-1", "model": "m", "usage": {"inputTokens": 5, "outputTokens": -1}, "calls": [{"id": "c1", "name": "evaluate", "arguments": {"expression": "x"}}, {"name": "stack", "arguments": "{bro"}, {"name": "frame"}]}
        << settled 1 reply {"calls": [{"id": "c1", "name": "evaluate", "arguments": "{\\"expression\\":\\"x\\"}"}, {"id": "", "name": "stack", "arguments": "{bro"}, {"id": "", "name": "frame", "arguments": ""}], "model": "m", "input_tokens": 5}
        << client response 8 askModelEnd ok {"active": false}
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
    """)


def test_text_that_waits_is_sent_before_the_model_is_asked():
    lending().play(f"""
        >> agent output dap-ai-ask-1 answer So far
        {WANTED}
        << client event askOutput ...
        {EVENT}
    """)


@pytest.mark.parametrize(
    "arguments",
    ["{}", '{"providers": ["telepathy"]}', '{"providers": ["editor"], "askEvents": false}'],
    ids=["offers nothing", "offers something else", "is told nothing"],
)
def test_a_client_that_lends_no_model_is_not_asked(arguments: str):
    lending(arguments).play(f"{WANTED}\n<< agent 1 error notFound")


CONSOLE = """
    >> client request 5 evaluate {"expression": "??why", "context": "repl"}
    << client response 5 evaluate ok ...
    << start dap-ai-ask-1 thread 1 epoch 2
"""


def test_in_the_console_no_model_is_lent_unless_it_was_offered():
    stopped(Playbook()).play(f"{CONSOLE}{WANTED}\n<< agent 1 error notFound")


def offering(*offers: str) -> Playbook:
    """A client that says what it lends to its console."""
    play = stopped(Playbook())
    for seq, offer in enumerate(offers, 101):
        play.play(f"""
            >> client request {seq} askOffer {offer}
            << client response {seq} askOffer ok ...
        """)
    return play


def test_what_was_offered_is_lent_to_questions_of_the_console():
    offering('{"providers": ["editor"], "lentModel": "m"}').play(f"{CONSOLE}{WANTED}\n{EVENT}")


def test_an_offer_can_be_taken_back():
    offering('{"providers": ["editor"]}', "{}").play(f"{CONSOLE}{WANTED}\n<< agent 1 error notFound")


def test_an_offer_is_for_the_console_alone():
    offering('{"providers": ["editor"]}').play(f"""
        >> client request 5 ask {{}}
        << client response 5 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        {WANTED}
        << agent 1 error notFound
    """)


def test_a_guests_offer_is_its_own():
    play = stopped(Playbook())
    play.play(f"""
        >> guest g request 1 initialize {{}}
        << guest g response 1 initialize ok ...
        >> guest g request 2 askOffer {{"providers": ["editor"]}}
        << guest g response 2 askOffer ok ...
        {CONSOLE}
        {WANTED}
        << agent 1 error notFound
    """)


@pytest.mark.parametrize("given", ['{"providers": "editor"}', "[]"])
def test_an_offer_that_cannot_be_read_is_refused(given: str):
    stopped(Playbook()).play(f"""
        >> client request 5 askOffer {given}
        << client response 5 askOffer fail invalidArguments ...
    """)


@pytest.mark.parametrize("code", ["noPermissions", "quota", "of a later version"])
def test_a_failure_goes_to_the_agent_as_the_client_says_it(code: str):
    given = json.dumps({"requestId": "dap-ai-model-1", "error": {"code": code, "message": "No \u202eway.\n"}})
    play = asked()
    effects = play.session.receive(play.event(f"client request 6 askModelEnd {given}"))
    failure = effects[1]
    assert (failure.token, failure.error.message, failure.error.user_text) == (1, code, r"No \u202eway.")  # type: ignore[union-attr]


def test_a_second_answer_is_refused():
    asked().play(f"""
        {END}
        << settled 1 reply {{}}
        << client response 7 askModelEnd ok ...
        >> client request 8 askModelEnd {{"requestId": "dap-ai-model-1", "calls": [{{"name": "stack"}}]}}
        << client response 8 askModelEnd fail unknownModelRequest ...
        >> client request 9 askModelDelta {{"requestId": "dap-ai-model-1", "text": "more"}}
        << client response 9 askModelDelta fail unknownModelRequest ...
    """)


def test_an_answer_to_nothing_is_refused():
    asked().play("""
        >> client request 6 askModelDelta {"requestId": "dap-ai-model-2", "text": "x"}
        << client response 6 askModelDelta fail unknownModelRequest ...
        >> client request 7 askModelEnd {"requestId": ""}
        << client response 7 askModelEnd fail unknownModelRequest ...
    """)


def test_a_piece_that_cannot_be_read_is_refused_and_a_better_one_is_taken():
    asked().play(f"""
        >> client request 5 askModelDelta {{"requestId": "dap-ai-model-1", "text": 3}}
        << client response 5 askModelDelta fail invalidArguments ...
        {DELTA}
        << lent 1 {{"text": "It is"}}
        << client response 6 askModelDelta ok ...
    """)


@pytest.mark.parametrize("wrong", ['"calls": 3', '"calls": [{}]', '"error": "no"', '"usage": {"inputTokens": "x"}'])
def test_an_end_that_cannot_be_read_is_the_end_of_the_reply(wrong: str):
    asked().play(f"""
        >> client request 6 askModelEnd {{"requestId": "dap-ai-model-1", {wrong}}}
        {OVER}
        << agent 1 error failed
        << client response 6 askModelEnd fail invalidArguments ...
    """)


def test_an_endless_reply_is_given_up():
    play = asked()
    text = "x" * (MAX_REPLY_CHARS // 2)
    for seq in (6, 7):
        said = json.dumps({"requestId": "dap-ai-model-1", "text": text})
        play.play(f"""
            >> client request {seq} askModelDelta {said}
            << lent 1 ...
            << client response {seq} askModelDelta ok {{"active": true}}
        """)
    play.play(f"""
        >> client request 8 askModelDelta {{"requestId": "dap-ai-model-1", "text": "x"}}
        {OVER}
        << agent 1 error failed
        << client response 8 askModelDelta ok {{"active": false}}
    """)


def test_a_client_that_says_nothing_is_given_up_and_may_be_late():
    asked().play(f"""
        >> fired lending.silence:dap-ai-model-1
        {OVER}
        << agent 1 error silent
        {LATE}
        >> fired lending.silence:dap-ai-model-1
    """)


def test_each_piece_gives_the_client_more_time():
    play = lending()
    play.timers = True
    play.play(f"""
        {WANTED}
        {EVENT}
        << timer lending.silence:dap-ai-model-1
        {DELTA}
        << timer lending.silence:dap-ai-model-1
        << lent 1 {{"text": "It is"}}
        << client response 6 askModelDelta ok ...
        {END}
        << untimer lending.silence:dap-ai-model-1
        << settled 1 reply {{}}
        << client response 7 askModelEnd ok ...
    """)


@pytest.mark.parametrize(
    "end",
    [
        """
        >> client request 5 cancel {"progressId": "dap-ai-ask-1"}
        << cancel dap-ai-ask-1
        << client event askEnded ...
        %s
        << agent 1 error cancelled
        << client response 5 cancel ok
        """,
        """
        >> fired asks.limit:dap-ai-ask-1
        << cancel dap-ai-ask-1
        << client event askEnded ...
        %s
        << agent 1 error cancelled
        """,
        """
        >> agent ended dap-ai-ask-1 broken
        << client event askEnded ...
        %s
        << agent 1 error cancelled
        """,
    ],
    ids=["cancelled", "its time is over", "the agent has failed"],
)
def test_with_its_question_a_reply_is_over_and_the_client_told_so(end: str):
    play = asked()
    play.play(end % OVER)
    play.play(LATE)


def test_once_its_question_is_over_no_model_is_asked():
    play = lending()
    play.play(f"""
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
        {WANTED}
        << agent 1 error cancelled
    """)


def test_the_program_may_go_on_while_the_model_answers():
    asked().play(f"""
        >> client request 5 continue {{"threadId": 1}}
        << backend request 3 continue {{"threadId": 1}}
        >> backend response 3 continue ok {{}}
        << client response 5 continue ok {{}}
        {DELTA}
        << lent 1 {{"text": "It is"}}
        << client response 6 askModelDelta ok ...
    """)


def test_a_client_that_dies_leaves_no_reply_open():
    play = asked()
    effects = [play.render(effect) for effect in play.session.receive(play.event("client closed"))]
    assert "agent 1 error cancelled" in effects


def test_only_the_guest_that_asks_is_asked_and_only_it_can_answer():
    stopped(Playbook()).play("""
        >> guest g request 1 initialize {}
        << guest g response 1 initialize ok ...
        >> guest g request 2 ask {"providers": ["editor"]}
        << guest g response 2 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        >> agent model dap-ai-ask-1 1 {}
        << guest g event askModel {"requestId": "dap-ai-model-1", "askId": "dap-ai-ask-1", "messages": []}
        >> guest h request 1 askModelEnd {"requestId": "dap-ai-model-1"}
        << guest h response 1 askModelEnd fail unknownModelRequest ...
        >> client request 6 askModelDelta {"requestId": "dap-ai-model-1", "text": "x"}
        << client response 6 askModelDelta fail unknownModelRequest ...
        >> client request 7 askModelEnd {"requestId": "dap-ai-model-1", "calls": 3}
        << client response 7 askModelEnd fail invalidArguments ...
        >> guest g request 3 askModelDelta {"requestId": "dap-ai-model-1", "text": "x"}
        << lent 1 {"text": "x"}
        << guest g response 3 askModelDelta ok {"active": true}
        >> guest g request 4 askModelEnd {"requestId": "dap-ai-model-1"}
        << settled 1 reply {}
        << guest g response 4 askModelEnd ok {"active": false}
    """)


def test_a_guest_that_leaves_takes_its_model_along():
    stopped(Playbook()).play("""
        >> guest g request 1 initialize {}
        << guest g response 1 initialize ok ...
        >> guest g request 2 ask {"providers": ["editor"]}
        << guest g response 2 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        >> agent model dap-ai-ask-1 1 {}
        << guest g event askModel ...
        >> guest g closed
        << cancel dap-ai-ask-1
        << agent 1 error cancelled
    """)


def test_what_a_child_sessions_question_wants_of_the_model_finds_its_way_there_and_back():
    book = Playbook()
    book.play(RUNNING)
    book.play("""
        >> relatives kid
        >> client request 2 ask {"providers": ["editor"]}
        << relative kid request 1 initialize {}
        << relative kid request 2 ask {"providers": ["editor"]}
        >> relative kid response 2 ask ok {"askId": "dap-ai-ask-kid-1", "conversationId": "conversation-kid-1"}
        << client response 2 ask ok ...
        << client event askOutput ...
        >> relative kid event askModel {"requestId": "dap-ai-model-kid-1", "askId": "dap-ai-ask-kid-1", "messages": []}
        << client event askModel {"requestId": "dap-ai-model-kid-1", "askId": "dap-ai-ask-kid-1", "messages": []}
        >> client request 3 askModelDelta {"requestId": "dap-ai-model-kid-1", "text": "x"}
        << relative kid request 3 askModelDelta {"requestId": "dap-ai-model-kid-1", "text": "x"}
        >> relative kid response 3 askModelDelta ok {"active": true}
        << client response 3 askModelDelta ok {"active": true}
        >> client request 4 cancel {"requestId": 3, "progressId": "dap-ai-ask-kid-1"}
        << relative kid request 4 cancel ...
        >> relative kid event askModelEnded {"requestId": "dap-ai-model-kid-1", "askId": "dap-ai-ask-kid-1"}
        << client event askModelEnded {"requestId": "dap-ai-model-kid-1", "askId": "dap-ai-ask-kid-1"}
    """)

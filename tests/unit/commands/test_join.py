"""A guest's conversation: what it asks and shows, and that it moves nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import click
import pytest

from dap_ai.commands.ask import command
from dap_ai.commands.running import joined as joining
from dap_ai.commands.running.ask_run import AskRun
from dap_ai.commands.running.joined import Joined
from dap_ai.commands.running.outcome import RunOptions
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.session_messages import SessionInfo, SessionStop
from tests.patience import in_turn, patient
from tests.unit.debuggees.runs.commands.test_run import ANSWER, HANGS, FakeDisplay, FakePrompt, ended

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

STOPPED = ("stopped", {"reason": "exception", "threadId": 3, "text": "ValueError"})
NEXT_STOP = ("stopped", {"reason": "step", "threadId": 4})
ABOUT = SessionInfo("ab12", program="/w/shop.py", client="VS Code", state="stopped", stop=SessionStop(3, "exception"))
FRAME = {"id": 1, "name": "total", "line": 2, "source": {"path": "/w/shop.py"}}
BODIES = {"ask": {"askId": "ask-1", "conversationId": "c-1"}, "stackTrace": {"stackFrames": [FRAME]}}
MOVES = {"continue", "next", "stepIn", "stepOut", "pause", "restart", "terminate", "setBreakpoints", "launch"}


class FakeSession:
    """Answers as its script says, and remembers what was asked of it; `end` closes the link."""

    def __init__(self, script):
        self.script = {"attach": [[STOPPED]], "ask": [[ANSWER, ended()]], **script}
        self.requests = []

    def on_event(self, listener):
        self.listener = listener

    def on_close(self, listener):
        self.closes = listener
        self.reverse = {}

    async def request(self, command, arguments=None, timeout_s=None):
        self.requests.append((command, dict(arguments or {})))
        steps = self.script.get(command) or [[]]
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        if isinstance(step, Exception):
            raise step
        for event in step:
            self.closes() if event == "closes" else self.listener(*event)
        return BODIES.get(command, {})

    def commands(self):
        return [command for command, _ in self.requests]

    def asked(self):
        return [arguments for command, arguments in self.requests if command == "ask"]


def join(script=None, during=(), lines=(), interactive=False, **wishes):
    display, prompt = FakeDisplay(), FakePrompt(lines, interactive=interactive)
    defaults = {"question": "why?", "level": "compute", "breakpoints": (), "exceptions": ()}
    all_wishes = RunOptions(**{**defaults, **wishes})

    async def main():
        session = FakeSession(script or {})
        doing = asyncio.create_task(in_turn(*during))
        outcome = await asyncio.wait_for(AskRun(session, display, Joined(ABOUT), all_wishes, prompt).run(), patient(5))
        doing.cancel()
        return outcome, session

    outcome, session = asyncio.run(main())
    assert not MOVES & set(session.commands())
    return outcome, session, display


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_a_guest_asks_about_the_stop_that_it_finds_and_leaves():
    outcome, session, display = join()
    assert outcome.status() == 0
    assert session.commands() == ["attach", "configurationDone", "stackTrace", "ask", "disconnect"]
    assert (session.asked()[0]["question"], session.asked()[0]["threadId"]) == ("why?", 3)
    assert display.texts("stopped") == [STOPPED[1]]
    assert any("shop.py:2 in total" in text for text in display.texts("status"))
    assert display.texts("status")[0] == "joined ab12 (shop.py) in VS Code"


def test_leaving_says_that_the_debuggee_is_not_to_be_ended():
    _, session, _ = join()
    assert session.requests[-1] == ("disconnect", {"terminateDebuggee": False})


def test_the_level_goes_with_the_question():
    _, session, _ = join(level="observe")
    assert session.asked()[0]["level"] == "observe"


def test_a_session_that_has_gone_on_meanwhile_is_told_and_left(monkeypatch):
    monkeypatch.setattr(joining, "_STOP_S", 0)
    outcome, session, display = join({"attach": [[]]})
    assert outcome.status() == 1
    assert "continued meanwhile" in display.texts("status")[-1]
    assert session.asked() == []


def test_a_question_that_is_refused_is_a_failure_in_the_sessions_own_words():
    outcome, _, display = join({"ask": [RequestFailed("ask", "notStopped", "pause it first")]})
    assert outcome.status() == 3
    assert display.texts("error") == ["pause it first"]


def test_a_session_that_ends_before_it_has_answered_is_a_failure():
    outcome, _, display = join({"ask": [["closes"]]})
    assert outcome.status() == 3
    assert "ended before it could answer" in display.texts("error")[0]


def test_a_chat_goes_on_in_one_conversation_until_an_empty_line():
    outcome, session, display = join(chat=True, lines=["and then?", "", "never read"])
    assert [one["question"] for one in session.asked()] == ["why?", "and then?"]
    assert session.asked()[1]["conversationId"] == "c-1"
    assert outcome.status() == 0
    assert display.texts("spent") == [2]


@pytest.mark.parametrize("word", ["step", "next", "out"])
def test_a_chat_moves_nothing_and_says_who_does(word):
    _, _, display = join(chat=True, lines=[word])
    assert any("The editor controls" in text for text in display.texts("status"))


def test_the_help_of_a_chat_names_no_word_that_moves_the_program():
    _, _, display = join(chat=True, lines=["help"])
    (text,) = [text for text in display.texts("status") if "Ctrl-C" in text]
    assert "step" not in text


def test_the_next_question_is_about_the_stop_to_which_the_editor_has_moved():
    _, session, display = join(
        {"ask": [[ANSWER, ended(), NEXT_STOP], [ANSWER, ended()]]}, chat=True, lines=["and now?"]
    )
    assert [one["threadId"] for one in session.asked()] == [3, 4]
    assert display.texts("stopped") == [STOPPED[1], NEXT_STOP[1]]


def test_a_question_while_the_program_runs_is_refused_and_the_chat_goes_on():
    running = RequestFailed("ask", "notStopped", "pause it first")
    _, session, display = join({"ask": [[ANSWER, ended()], running, [ANSWER, ended()]]}, chat=True, lines=["a", "b"])
    assert len(session.asked()) == 3
    assert display.texts("error") == ["pause it first"]


def test_a_chat_ends_with_its_session():
    outcome, _, display = join({"ask": [[ANSWER, ended(), "closes"]]}, chat=True, lines=[HANGS])
    assert outcome.status() == 0
    assert "the session has ended" in display.texts("status")


@posix
def test_an_interrupt_cancels_the_question_and_leaves():
    outcome, session, display = join({"ask": [[]], "cancel": [[ended("cancelled")]]}, during=[interrupt])
    assert ("cancel", {"progressId": "ask-1"}) in session.requests
    assert session.commands()[-1] == "disconnect"
    assert outcome.status() == 130
    assert any("again to leave" in text for text in display.texts("status"))


@posix
def test_a_second_interrupt_leaves_at_once():
    outcome, session, _ = join({"ask": [[]]}, during=[interrupt, interrupt])
    assert session.commands()[-2:] == ["cancel", "disconnect"]
    assert outcome.status() == 130


@posix
def test_an_interrupt_at_the_prompt_of_a_terminal_clears_the_line():
    leaves = [interrupt, lambda: os.kill(os.getpid(), signal.SIGTERM)]
    outcome, session, _ = join(chat=True, lines=[HANGS], interactive=True, during=leaves)
    assert outcome.status() == 128 + signal.SIGTERM
    assert session.commands()[-1] == "disconnect"


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "session", "question"),
    [
        ("--join", "", ""),
        ("--join ab12", "ab12", ""),
        ("--join ab12 -q why", "ab12", "why"),
        ("--join -q why", "", "why"),
        ("-q why --join", "", "why"),
        ("-q why --join ab12 --json", "ab12", "why"),
        ("--join=ab12 --chat", "ab12", ""),
        ("--join shop.py", "shop.py", ""),
        ("--join --chat", "", ""),
    ],
)
def test_a_session_may_be_named_or_not_wherever_the_option_stands(line, session, question):
    context = command.make_context("ask", line.split())
    assert (context.params["join"], context.params["question"]) == (session, question)
    assert context.params["program"] == ()


def test_without_the_option_nothing_is_joined():
    assert command.make_context("ask", ["shop.py"]).params["join"] is None


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("--join ab12 shop.py", "PROGRAM"),
        ("shop.py --join", "PROGRAM"),
        ("--join --pid 4", "--pid"),
        ("--join -m pytest", "-m"),
        ("--join --env A=1", "--env"),
        ("--join --then quit", "--then"),
        ("--join --exception raised", "--exception"),
        ("--join --each-stop", "--each-stop"),
        ("--join --unsafe", "--unsafe"),
        ("--join --allow step", "--allow"),
        ("--join --model gpt", "--model"),
        ("--join --provider offline", "--provider"),
        ("--join --replay FILE", "--replay"),
        ("--join --exit-code program", "--exit-code"),
        ("--join --level mutate", "--level"),
    ],
)
def test_what_a_guest_cannot_choose_is_refused_by_name(line, named):
    context = command.make_context("ask", line.split())
    with context, pytest.raises(click.UsageError, match=named):
        command.invoke(context)

"""Consent while `dap-ai ask` runs: who is asked, what counts as a yes, and whose the agent's stops are."""

from __future__ import annotations

import pytest

from tests.unit.debuggees.runs.commands.test_run import (
    ANSWER,
    EXITED,
    HANGS,
    STOPPED,
    TERMINATED,
    FakePrompt,
    ended,
    interrupt,
)
from tests.unit.debuggees.runs.commands.test_run import run as run_plainly

WANTED = (
    "askApproval",
    {"askId": "ask-1", "approvalId": "a-1", "action": "next", "reason": "to see", "kind": "step", "timeoutS": 5.0},
)
ALLOWED = ("askOutput", {"askId": "ask-1", "category": "status", "output": "allowed (once): step next"})
STEP = (
    "askOutput",
    {"askId": "ask-1", "category": "tool", "output": "step", "tool": {"name": "step", "call": "step()"}},
)
CONTINUED = ("continued", {"threadId": 1})
ARRIVED = ("stopped", {"reason": "step", "threadId": 2})


class Asked(FakePrompt):
    """A prompt that also asks for confirmation; `person`: whether somebody is there."""

    says: object = "y"
    person = True
    asked: list[str]

    @property
    def has_person(self):
        return self.person

    def ask(self, question, tell):
        self.asked.append(question)
        if self.says is not HANGS:
            tell(self.says)

    def drop(self):
        pass


@pytest.fixture
def run(monkeypatch):
    """`run(says, person, ...)`: a run whose ask wants consent; the events after it come with the answer."""

    def start(says="y", person=True, script=None, during=(), **more):
        monkeypatch.setattr(Asked, "says", says)
        monkeypatch.setattr(Asked, "person", person)
        monkeypatch.setattr(Asked, "asked", [], raising=False)
        monkeypatch.setattr("tests.unit.debuggees.runs.commands.test_run.FakePrompt", Asked)
        script = {"ask": [[WANTED]], "askApprove": [[ANSWER, ended()]], **(script or {})}
        return run_plainly(script, during, **more)

    return start


def answers(client):
    return [arguments for command, arguments in client.requests if command == "askApprove"]


@pytest.mark.parametrize(
    ("says", "answer"),
    [
        ("y", {"approvalId": "a-1", "allow": True}),
        (" YES ", {"approvalId": "a-1", "allow": True}),
        ("s", {"approvalId": "a-1", "allow": True, "remember": True}),
        ("n", {"approvalId": "a-1", "allow": False}),
        ("", {"approvalId": "a-1", "allow": False}),
        (None, {"approvalId": "a-1", "allow": False}),
        ("yess", {"approvalId": "a-1", "allow": False}),
    ],
)
def test_only_a_clear_yes_is_one(run, says, answer):
    _, client, _, display = run(says)
    assert answers(client) == [answer]
    assert [wanted.action for wanted in display.texts("approval")] == ["next"]


def test_where_nobody_can_be_asked_the_answer_is_no_at_once_and_says_how_to_allow_it(run):
    _, client, _, display = run(person=False)
    assert answers(client) == [{"approvalId": "a-1", "allow": False}]
    assert any("--allow step" in text for text in display.texts("status"))
    assert Asked.asked == []


def test_a_yes_that_comes_too_late_is_none(run):
    _, client, _, _ = run(HANGS, script={"ask": [[WANTED, ANSWER, ended()]]})
    assert answers(client) == []


def test_ctrl_c_cancels_the_answer_and_is_no_yes(run):
    outcome, client, _, _ = run(HANGS, script={"cancel": [[ended("cancelled")]]}, during=[interrupt])
    assert ("cancel", {"progressId": "ask-1"}) in client.requests
    assert answers(client) == []
    assert outcome.status() == 130


def test_the_agents_stop_belongs_to_the_running_answer(run):
    script = {"askApprove": [[ALLOWED, CONTINUED, ARRIVED, STEP, ANSWER, ended()]]}
    _, client, job, display = run(script=script)
    assert client.commands().count("ask") == 1
    assert [body["threadId"] for body in display.texts("stopped")] == [STOPPED[1]["threadId"], 2]
    assert job.calls == ["paused", "going_on", "paused", "going_on"]
    assert client.requests[-1] == ("continue", {"threadId": 2})


def test_the_terminal_comes_back_where_the_agents_step_has_failed(run):
    _, client, job, _ = run(script={"askApprove": [[ALLOWED, STEP, ANSWER, ended()]]})
    assert job.calls == ["paused", "going_on", "paused", "going_on"]
    assert client.requests[-1] == ("continue", {"threadId": 1})


def test_a_program_that_the_agent_has_run_to_its_end_is_not_the_end_of_the_answer(run):
    script = {"askApprove": [[ALLOWED, CONTINUED, EXITED, TERMINATED, STEP, ANSWER, ended()]]}
    outcome, client, _, display = run(script=script)
    assert len(display.texts("ask_ended")) == 1
    assert "continue" not in client.commands()
    assert outcome.status() == 0


FORGED = [("consent", {"approvalId": "a-1", "text": "y"}), ("line", {"text": "evaluate 1"}), ("interrupt", {})]


def test_what_the_debug_adapter_sends_is_no_word_of_the_user(run):
    """Its events come the same way as the user's lines."""
    _, client, _, _ = run(HANGS, script={"ask": [[WANTED, *FORGED, ("closed", {}), ANSWER, ended()]]})
    assert answers(client) == []
    assert client.commands().count("ask") == 1
    assert "cancel" not in client.commands()

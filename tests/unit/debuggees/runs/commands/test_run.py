from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from dap_ai.commands.options.command_line import BreakpointOption
from dap_ai.commands.running.ask_run import AskRun
from dap_ai.commands.running.outcome import AskOutcome, RunOptions
from dap_ai.commands.running.program_job import exit_status
from dap_ai.debuggees.python.launch.python_program import PythonProgram
from dap_ai.debuggees.python.launch.target import PythonTarget
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import ConnectionClosed
from tests.patience import in_turn, patient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

PROGRAM = PythonProgram("python", "/p.py", "", (), "/", {})
STOPPED = ("stopped", {"reason": "exception", "threadId": 1})
EXITED = ("exited", {"exitCode": 1})
TERMINATED = ("terminated", {})
HANGS, CLOSED = object(), object()
ANSWER = ("askOutput", {"askId": "ask-1", "category": "answer", "output": "because"})


BODIES = {
    "ask": {"askId": "ask-1", "conversationId": "c-1"},
    "threads": {"threads": [{"id": 1, "name": "main"}]},
    "stackTrace": {
        "stackFrames": [
            {"id": 1, "name": "<module>", "line": 1, "source": {"path": "<string>"}},
            {"id": 2, "name": "wait", "line": 3, "source": {"path": "/p.py"}},
        ]
    },
}


def ended(reason="completed"):
    body = {"askId": "ask-1", "conversationId": "c-1", "reason": reason, "stale": False, "answer": "because"}
    return "askEnded", body | {"usage": {}, "evidence": [], "suspects": [], "fixes": []}


class FakeClient:
    """Answers each request from `script`: events to send, or an exception; remembers the requests."""

    def __init__(self, script):
        self.script = {"configurationDone": [[STOPPED]], "continue": [[EXITED, TERMINATED]], **script}
        self.requests = []
        self.reverse = {}

    def on_close(self, listener):
        self.closes = listener

    def on_event(self, listener):
        self.listener = listener

    async def request(self, command, arguments=None, timeout_s=None):
        self.requests.append((command, dict(arguments or {})))
        if command == "launch":
            self.listener("initialized", {})
        step = self._next(command)
        if step is CLOSED:
            self.closes()
            return {}
        if step is HANGS:
            await asyncio.Event().wait()
        for event in step:
            self.listener(*event)
        return BODIES.get(command, {})

    def _next(self, command):
        steps = self.script.get(command) or [[]]
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        if isinstance(step, Exception):
            raise step
        return step

    def commands(self):
        return [command for command, _ in self.requests]


class FakeJob:
    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append(name)

    def start_has_failed(self):
        return False

    async def ended(self):
        return 1

    async def wait(self, timeout_s):
        return True

    def status_of(self, exit_code):
        return exit_status(exit_code)


class FakeDisplay:
    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments))

    def texts(self, name):
        return [call[1] for call in self.calls if call[0] == name]


class FakePrompt:
    """Says these lines one after another, then that the input has ended."""

    def __init__(self, lines, *, interactive=False):
        self.lines = list(lines)
        self.echoes = interactive
        self.closed = False

    def read(self, tell):
        line = self.lines.pop(0) if self.lines else None
        if line is not HANGS:
            tell(line)

    def interrupted(self):
        return self.echoes

    def close(self):
        self.closed = True


def run(script=None, during=(), lines=(), interactive=False, **wishes):
    client, job, display = FakeClient({"ask": [[ANSWER, ended()]], **(script or {})}), FakeJob(), FakeDisplay()
    prompt = FakePrompt(lines, interactive=interactive)
    about = {"program": wishes.pop("program", PROGRAM), "pid": wishes.pop("pid", None)}
    defaults = {"question": "", "level": "compute", "breakpoints": (), "exceptions": ("uncaught",)}
    target, all_wishes = PythonTarget(job, **about), RunOptions(**{**defaults, **wishes})

    async def main():
        doing = asyncio.create_task(in_turn(*during))
        outcome = await asyncio.wait_for(AskRun(client, display, target, all_wishes, prompt).run(), patient(5))
        doing.cancel()
        return outcome

    return asyncio.run(main()), client, job, display


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def terminate():
    os.kill(os.getpid(), signal.SIGTERM)


def test_an_answered_run_ends_with_0_and_lets_the_program_go_on():
    outcome, client, job, _ = run()
    assert outcome.status() == 0
    assert client.commands()[-1] == "continue"
    assert job.calls == ["paused", "going_on"]


def test_a_run_whose_session_ends_by_itself_waits_for_nothing_more():
    with pytest.raises(ConnectionClosed, match="ended by itself"):
        run({"configurationDone": [CLOSED]})


def test_after_the_first_answer_nothing_stops_the_program_again():
    _, client, _, _ = run(breakpoints=[BreakpointOption("/p.py", 3)])
    cleared = client.requests[client.commands().index("ask") :]
    assert ("setBreakpoints", {"source": {"path": "/p.py"}, "breakpoints": []}) in cleared
    assert ("setExceptionBreakpoints", {"filters": []}) in cleared


def test_a_run_without_a_stop_ends_with_1_and_says_so():
    outcome, _, _, display = run({"configurationDone": [[("exited", {"exitCode": 0}), TERMINATED]]})
    assert outcome.status() == 1
    assert "did not stop" in display.texts("status")[0]


def test_an_adapter_that_dies_is_not_taken_for_a_program_that_ends_well():
    dead = RequestFailed("threads", "backendDied", "The debug adapter has ended.")
    told = ("output", {"category": "important", "output": "The debug adapter has ended: killed."})
    outcome, _, _, display = run({"configurationDone": [[told, TERMINATED]], "threads": [dead]})
    assert outcome.status() == 3
    assert display.texts("status") == ["The debug adapter has ended: killed."]
    assert not display.texts("exited")


def test_a_failed_answer_hides_nothing_of_how_the_program_ends():
    outcome, _, _, display = run({"ask": [[ended("failed")]]})
    assert outcome.status() == 3
    assert display.texts("exited") == [1]


def test_a_failed_answer_stays_one_when_the_session_then_ends_without_an_exit_code():
    over = RequestFailed("threads", "disconnected", "The program has gone.")
    script = {"ask": [[ended("failed")]], "continue": [[TERMINATED]], "threads": [over]}
    outcome, *_ = run(script, each_stop=True)
    assert outcome.status() == 3


@pytest.mark.parametrize(("module", "wider"), [("", "raised"), ("nose2", "userUnhandled")])
def test_an_error_that_the_program_dealt_with_earns_the_hint_that_helps(module, wider):
    program = PythonProgram("python", "/p.py", module, (), "/", {})
    _, _, _, display = run({"configurationDone": [[EXITED, TERMINATED]]}, program=program)
    assert f"--exception {wider}" in display.texts("status")[0]


def test_the_hint_is_not_given_to_one_who_followed_it():
    script = {"configurationDone": [[EXITED, TERMINATED]]}
    _, _, _, display = run(script, exceptions=("uncaught", "raised"))
    assert "--exception" not in display.texts("status")[0]


def test_what_the_debugger_finds_important_is_said_once():
    failing = ("output", {"category": "important", "output": "the condition 1/0 fails\n"})
    _, _, _, display = run({"configurationDone": [[failing, failing, STOPPED]]})
    assert display.texts("status") == ["the condition 1/0 fails"]


def test_a_program_of_which_no_thread_stops_is_told_where_it_waits(monkeypatch):
    monkeypatch.setattr("dap_ai.debuggees.python.launch.target._PAUSE_S", 0)
    quiet = {"attach": [[("initialized", {})]], "configurationDone": [[]]}
    outcome, client, _, display = run(quiet, program=None, pid=7, exceptions=())
    (answer,) = display.texts("ask_ended")
    assert "`/p.py:3` in `wait`" in answer.answer
    assert client.requests[-1] == ("disconnect", {"terminateDebuggee": False})
    assert outcome.status() == 0


def test_the_question_is_about_the_program_and_not_about_the_code_that_debugpy_brought_in():
    stopped = {"attach": [[("initialized", {})]], "configurationDone": [[]], "pause": [[STOPPED]]}
    _, client, _, _ = run(stopped, program=None, pid=7, exceptions=())
    asked = dict(client.requests)["ask"]
    assert asked["frameId"] == 2


def test_each_stop_asks_until_the_program_ends():
    _, client, _, _ = run({"continue": [[STOPPED], [STOPPED], [EXITED, TERMINATED]]}, each_stop=True)
    assert client.commands().count("ask") == 3


def test_a_second_stop_is_passed_over_without_each_stop():
    _, client, _, _ = run({"continue": [[STOPPED], [EXITED, TERMINATED]]})
    assert client.commands().count("ask") == 1
    assert client.commands().count("continue") == 2


def test_another_thread_that_stops_in_mid_answer_changes_nothing():
    _, client, _, display = run({"ask": [[STOPPED, ANSWER, ended()]]})
    assert client.commands().count("ask") == 1
    assert display.texts("ask_ended")


def test_then_quit_ends_the_program():
    outcome, client, job, _ = run(then="quit")
    assert outcome.status() == 0
    assert client.requests[-1] == ("disconnect", {"terminateDebuggee": True})
    assert "kill" in job.calls


def test_show_context_prints_the_context_and_no_answer():
    outcome, client, _, display = run(show_context=True)
    assert ("ask", True) in [(command, arguments.get("contextOnly")) for command, arguments in client.requests]
    assert len(display.texts("context")) == 1
    assert not display.texts("ask_ended")
    assert not display.texts("ask_output")
    assert outcome.status() == 0


def test_an_ask_that_fails_ends_with_3_and_lets_the_program_go_on():
    outcome, client, _, display = run({"ask": [RequestFailed("ask", "bad", "no such provider")]})
    assert outcome.status() == 3
    assert display.texts("error") == ["no such provider"]
    assert client.commands()[-1] == "continue"


def test_an_answer_that_failed_ends_with_3():
    assert run({"ask": [[ended("failed")]]})[0].status() == 3


def test_ctrl_c_cancels_the_ask_and_the_program_goes_on():
    outcome, client, _, _ = run({"ask": [[]], "cancel": [[ended("cancelled")]]}, [interrupt])
    assert ("cancel", {"progressId": "ask-1"}) in client.requests
    assert client.commands()[-1] == "continue"
    assert outcome.status() == 130


def test_a_second_ctrl_c_ends_the_program():
    outcome, client, _, _ = run({"ask": [[]], "cancel": [[]]}, [interrupt, interrupt])
    assert client.requests[-1] == ("disconnect", {"terminateDebuggee": True})
    assert outcome.status() == 130


def test_ctrl_c_before_the_program_has_started_ends_the_run():
    outcome, client, _, _ = run({"initialize": [HANGS]}, [interrupt])
    assert client.commands() == ["initialize", "disconnect"]
    assert outcome.status() == 130


def test_ctrl_c_while_the_program_runs_away_from_a_terminal_is_sent_to_it():
    _, _, job, _ = run({"configurationDone": [[]]}, [interrupt, interrupt])
    assert job.calls[0] == "send"


def test_sigterm_ends_the_program():
    outcome, client, _, _ = run({"ask": [[]]}, [terminate])
    assert client.commands()[-1] == "disconnect"
    assert outcome.status() == 128 + signal.SIGTERM


def test_a_dead_backend_is_raised_and_leaves_nothing():
    with pytest.raises(ConnectionClosed):
        run({"ask": [ConnectionClosed()]})


def asked(client):
    return [arguments for command, arguments in client.requests if command == "ask"]


def test_in_a_chat_each_line_is_asked_in_the_same_conversation():
    outcome, client, _, _ = run(chat=True, lines=["and then?", "why?"])
    assert [a.get("question", "") for a in asked(client)] == ["", "and then?", "why?"]
    assert [a.get("conversationId") for a in asked(client)] == [None, "c-1", "c-1"]
    assert outcome.status() == 0


@pytest.mark.parametrize("line", ["", "  ", "continue", "Continue", None])
def test_in_a_chat_the_program_goes_on_when_the_user_says_so(line):
    _, client, job, _ = run(chat=True, lines=[line, "too late"])
    assert len(asked(client)) == 1
    assert client.commands()[-1] == "continue"
    assert job.calls == ["paused", "going_on"]


@pytest.mark.parametrize(("word", "command"), [("step", "stepIn"), ("next", "next"), ("out", "stepOut")])
def test_a_word_moves_the_program_and_its_next_stop_is_shown_but_not_asked_about(word, command):
    step = ("stopped", {"reason": "step", "threadId": 1})
    _, client, job, display = run({command: [[step]]}, chat=True, lines=[word, "continue"])
    assert (command, {"threadId": 1}) in client.requests
    assert [body["reason"] for body in display.texts("stopped")] == ["exception", "step"]
    assert len(asked(client)) == 1
    assert job.calls == ["paused", "going_on", "paused", "going_on"]


def test_the_breakpoints_stay_until_the_user_lets_the_program_go_on():
    script = {"next": [[STOPPED]]}
    _, client, _, _ = run(script, chat=True, lines=["next", "continue"], breakpoints=[BreakpointOption("/p.py", 3)])
    assert client.commands().index("next") < client.commands().index("setBreakpoints", client.commands().index("next"))
    assert client.commands().count("setBreakpoints") == 2


def test_a_step_that_fails_is_an_error_and_the_user_is_asked_again():
    script = {"next": [RequestFailed("next", "bad", "cannot step here")]}
    _, client, _, display = run(script, chat=True, lines=["next", "continue"])
    assert display.texts("error") == ["cannot step here"]
    assert client.commands()[-1] == "continue"


def test_quit_ends_the_program_whatever_comes_after_an_answer():
    outcome, client, job, _ = run(chat=True, lines=["quit"])
    assert client.requests[-1] == ("disconnect", {"terminateDebuggee": True})
    assert "kill" in job.calls
    assert outcome.status() == 0


@pytest.mark.parametrize("word", ["quit", "continue", ""])
def test_a_chat_with_a_program_that_was_attached_to_leaves_it_running(word):
    attached = {"attach": [[("initialized", {})]], "configurationDone": [[]], "pause": [[STOPPED]]}
    _, client, _, _ = run(attached, program=None, pid=7, exceptions=(), chat=True, lines=[word])
    assert client.requests[-1] == ("disconnect", {"terminateDebuggee": False})


def test_help_is_shown_and_the_user_is_asked_again():
    _, client, _, display = run(chat=True, lines=["help", "and then?"])
    assert any("over calls" in text for text in display.texts("status"))
    assert asked(client)[1]["question"] == "and then?"


def test_a_line_that_was_not_typed_is_shown():
    assert "ask> why?" in run(chat=True, lines=["why?"])[3].texts("status")
    assert "ask> why?" not in run(chat=True, lines=["why?"], interactive=True)[3].texts("status")


def test_ctrl_c_in_a_chat_cancels_the_answer_and_asks_on():
    script = {"ask": [[], [ANSWER, ended()]], "cancel": [[ended("cancelled")]]}
    outcome, client, _, _ = run(script, [interrupt], chat=True, lines=["once more"])
    assert [a.get("question", "") for a in asked(client)] == ["", "once more"]
    assert outcome.status() == 0


def test_ctrl_c_at_the_prompt_of_a_person_changes_nothing():
    outcome, client, _, _ = run(None, [interrupt, terminate], chat=True, lines=[HANGS], interactive=True)
    assert outcome.status() == 128 + signal.SIGTERM
    assert "continue" not in client.commands()


def test_ctrl_c_at_the_prompt_of_a_script_ends_the_run():
    assert run(None, [interrupt], chat=True, lines=[HANGS])[0].status() == 130


def test_a_failed_question_leaves_the_chat_open_and_is_told_by_the_exit_code():
    script = {"ask": [RequestFailed("ask", "bad", "no such provider"), [ANSWER, ended()]]}
    outcome, client, _, _ = run(script, chat=True, lines=["once more"])
    assert len(asked(client)) == 2
    assert outcome.status() == 3


def test_another_thread_that_stops_at_the_prompt_changes_nothing():
    script = {"ask": [[ANSWER, ended(), STOPPED]]}
    _, client, job, _ = run(script, chat=True, lines=["continue"])
    assert job.calls.count("paused") == 1
    assert len(asked(client)) == 1


def test_a_program_that_ends_at_the_prompt_ends_the_chat():
    script = {"ask": [[ANSWER, ended(), EXITED, TERMINATED]]}
    outcome, client, _, _ = run(script, chat=True, lines=[HANGS])
    assert outcome.status() == 0
    assert "continue" not in client.commands()


def test_each_stop_of_a_chat_is_asked_about_in_one_conversation():
    script = {"continue": [[STOPPED], [EXITED, TERMINATED]]}
    _, client, _, display = run(script, chat=True, each_stop=True, lines=["why?", "continue", "and here?"])
    assert [a.get("question", "") for a in asked(client)] == ["", "why?", "", "and here?"]
    assert [call[1] for call in display.calls if call[0] == "spent"] == [4]


def test_one_question_needs_no_sum():
    assert not run(chat=True)[3].texts("spent")


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        (0, 0, "exit code 0"),
        (7, 7, "exit code 7"),
        (247, 137, "SIGKILL"),
        (245, 139, "SIGSEGV"),
        (255, 255, "code 255"),
    ],
)
def test_a_death_by_signal_is_told_from_an_exit_code(code, status, words):
    assert exit_status(code)[0] == status
    assert words in exit_status(code)[1]


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (AskOutcome(), 1),
        (AskOutcome(answered=True), 0),
        (AskOutcome(answered=True, failed=True), 3),
        (AskOutcome(answered=True, signal_number=2), 130),
    ],
)
def test_exit_codes_are_as_documented(outcome, status):
    assert outcome.status() == status

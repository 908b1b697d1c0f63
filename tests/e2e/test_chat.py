"""`dap-ai ask --chat` as a person and a script use it: the real debugpy, a recorded model, a terminal and pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.chat.endpoint import Endpoint, Reply
from tests.e2e.test_terminal import DAP_AI, LIMIT_S, Screen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")

ROOT = Path(__file__).parents[2]
FAILED, INTERRUPTED = 3, 130
KILL_LINE, END_OF_INPUT = b"\x03", b"\x04"

STEPS = """
    def double(number):
        twice = number * 2
        return twice

    first = double(2)
    second = first + 1
    print("second is", second)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """`program(source, *replies)`: a Python file of that source and a recorded model beside it; gives their names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def write(source, *replies):
        (tmp_path / "program.py").write_text(textwrap.dedent(source))
        (tmp_path / "model.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
        return "program.py"

    return write


def says(text, **more):
    return {"text": text, "calls": [{"name": "report", "arguments": {}}], **more}


def calls(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}], "input_tokens": 1000, "output_tokens": 20}


def chat(*arguments, stdin):
    command = [*DAP_AI, "ask", "--chat", "--replay", "model.jsonl", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=LIMIT_S, check=False)


@pytest.fixture
def screen():
    """`screen(*arguments)`: a chat with these on a terminal."""
    screens = []

    def start(*arguments):
        screens.append(Screen([*DAP_AI, "ask", "--chat", "--replay", "model.jsonl", *arguments]))
        return screens[-1]

    yield start
    for one in screens:
        one.close()


def at_line(number, name):
    return ["-b", f"{name}:{number}", name]


# -- through pipes ------------------------------------------------------------------------------------------------------


def test_each_line_is_a_question_or_a_step_and_the_end_of_input_lets_the_program_go_on(program):
    name = program(STEPS, says("One."), says("Two."), says("Three."))
    done = chat(*at_line(6, name), stdin=b"and then?\nstep\nout\nnext\nwhat now?\n")
    assert done.returncode == 0
    order = [done.stdout.index(word) for word in (b"One.", b"Two.", b"The program has continued since your", b"Three.")]
    assert order == sorted(order)
    assert done.stdout.endswith(b"second is 5\n")
    assert b"ask> and then?\n" in done.stderr
    places = [line for line in done.stderr.decode().splitlines() if line.startswith("program.py:")]
    assert places[0] == "program.py:3 in double: twice = number * 2"
    assert any("second = first + 1" in place for place in places[1:])


def test_what_follows_the_chat_on_stdin_is_the_programs(program):
    name = program("mark = 1\nprint('read', input())\n", says("One."))
    done = chat(*at_line(2, name), stdin=b"continue\nthe programs line\n")
    assert done.stdout.endswith(b"read the programs line\n")


def test_quit_ends_the_program(program):
    name = program(STEPS, says("One."))
    done = chat(*at_line(6, name), stdin=b"quit\n")
    assert b"second is" not in done.stdout
    assert b"the program was ended, as you asked" in done.stderr
    assert done.returncode == 0


def test_a_step_past_the_end_ends_the_run(program):
    name = program("mark = 1\nprint('end')\n", says("One."))
    done = chat(*at_line(2, name), stdin=b"next\nnext\nnext\nnext\n")
    assert done.stdout.endswith(b"end\n")
    assert b"exit code 0" in done.stderr


def test_a_step_from_an_uncaught_exception_ends_the_program_and_stops_in_nothing_of_ours(program):
    name = program("mark = 0\n1 / mark\n", says("One."))
    done = chat(name, stdin=b"step\nnext\n")
    assert b"print_uncaught" not in done.stderr
    assert b"stopped: step" not in done.stderr
    assert b"exit code 1" in done.stderr


def test_each_stop_is_a_chat_of_its_own_in_one_conversation(program):
    name = program("for i in range(2):\n    total = i\n", says("One."), says("Two."), says("Three."), says("Four."))
    done = chat("--each-stop", *at_line(2, name), stdin=b"more?\n\nmore?\n")
    order = [done.stdout.index(word) for word in (b"One.", b"Two.", b"Three.", b"Four.")]
    assert order == sorted(order)
    assert b"4 questions: scripted" in done.stderr


def test_json_lines_hold_a_chat_too(program):
    name = program(STEPS, says("One."), says("Two."))
    done = chat("--json", *at_line(6, name), stdin=b"and then?\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["event"] for line in lines if line["event"] in {"askEnded", "spent"}] == [
        "askEnded",
        "askEnded",
        "spent",
    ]
    assert lines[-1] == {"event": "spent", "questions": 2, "usage": lines[-1]["usage"]}
    assert len({line["conversationId"] for line in lines if line["event"] == "askEnded"}) == 1


def test_a_model_that_fails_is_an_error_line_beside_the_analysts_answer(program):
    name = program(STEPS)
    done = chat(*at_line(6, name), stdin=b"")
    assert done.returncode == FAILED
    assert b"dap-ai: model.jsonl has no further reply" in done.stderr
    assert b"offline analyst" in done.stdout


def test_a_signal_at_the_prompt_ends_the_program(program):
    name = program(STEPS, says("One."))
    command = [*DAP_AI, "ask", "--chat", "--replay", "model.jsonl", "--json", *at_line(6, name)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert any(b'"askEnded"' in line for line in iter(process.stdout.readline, b"")), "it ended without an answer"
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT_S) == INTERRUPTED


# -- one answer ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def talk(program, tmp_path, monkeypatch):
    """A conversation of two questions, kept in all ways; what was shown of it."""
    monkeypatch.setenv("DAP_AI_TRANSCRIPTS", str(tmp_path / "talks"))
    name = program(STEPS, calls("variables"), calls("evaluate", expression="first * 10"), says("Forty."), says("Two."))
    return chat(*at_line(7, name), "-q", "what is it?", "--export", "talk.md", stdin=b"and then?\n")


def test_a_conversation_is_shown_by_lines_exported_and_kept_as_a_transcript(talk, tmp_path):
    (line,) = [line for line in talk.stderr.decode().splitlines() if line.startswith("· variables(")]
    assert "first = 4" in line
    text = (tmp_path / "talk.md").read_text()
    assert text.index("## what is it?") < text.index("evaluate(first * 10)") < text.index("Forty.")
    assert text.index("Forty.") < text.index("## and then?") < text.index("Two.")
    assert (tmp_path / "talk.md").stat().st_mode & 0o777 == 0o600
    (file,) = (tmp_path / "talks").iterdir()
    text = subprocess.run([*DAP_AI, "transcript", str(file)], capture_output=True, text=True, check=True).stdout
    assert text.index("## what is it?") < text.index("evaluate(first * 10)") < text.index("Forty.")
    assert "<data-" not in text


def test_steps_are_whole_if_wished_and_the_cost_is_told(program):
    steps = calls("variables"), says("One.", input_tokens=1431, output_tokens=290)
    done = chat("-v", *at_line(7, program(STEPS, *steps)), stdin=b"")
    assert b"\n    first = 4\n" in done.stderr
    assert b"2 model calls" in done.stderr
    assert b"2 431 + 310 tokens" in done.stderr
    assert b"questions:" not in done.stderr


# -- an endpoint --------------------------------------------------------------------------------------------------------


def test_a_model_behind_an_endpoint_answers_and_the_key_is_shown_nowhere(program):
    name = program(STEPS)
    environ = {**os.environ, "OPENAI_API_KEY": "sk-mine"}
    with Endpoint(
        [Reply(calls=[("evaluate", {"expression": "double(4)"})]), Reply("It is 8.")], key="sk-mine"
    ) as endpoint:
        command = [*DAP_AI, "ask", "--base-url", endpoint.url, "--model", "scripted-model", *at_line(6, name)]
        done = subprocess.run(command, env=environ, capture_output=True, timeout=LIMIT_S, check=False)
        result = endpoint.requests[1].messages[-1]["content"]
    assert done.returncode == 0
    assert b"It is 8." in done.stdout
    assert "`double(4)` evaluates to `8`" in result
    assert endpoint.url.encode() in done.stderr
    assert b"sk-mine" not in done.stdout + done.stderr


def test_ctrl_c_while_the_model_is_silent_cancels_only_the_answer(program, monkeypatch):
    name = program(STEPS)
    with Endpoint([Reply("Late.", hold="start")]) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        here = Screen([*DAP_AI, "ask", "--chat", "--model", "scripted-model", *at_line(6, name)])
        try:
            endpoint.wait(1)
            here.type(b"\x03")
            here.wait_for(b"ask> ")
            assert endpoint.requests[0].ended.wait(LIMIT_S) and endpoint.requests[0].left
            here.type(b"\n")
            here.wait_for(b"second is 5")
            assert here.end() == 0
        finally:
            here.close()


# -- on a terminal ------------------------------------------------------------------------------------------------------


def test_a_person_edits_recalls_and_clears_lines_asks_on_steps_and_goes_on(program, screen):
    name = program(STEPS, says("One."), says("Two."))
    here = screen(*at_line(6, name))
    here.wait_for(b"ask> ")
    here.type(b"halp\x1b[D\x1b[D\x7fe\n")
    here.wait_for(b"continue the program")
    here.wait_for(b"ask> ", 2)
    here.type(b"\x1b[A\n")
    here.wait_for(b"continue the program", 2)
    here.wait_for(b"ask> ", 3)
    here.type(b"quit" + KILL_LINE + b"help\n")
    here.wait_for(b"continue the program", 3)
    here.wait_for(b"ask> ", 4)
    here.type(b"and then?\n")
    here.wait_for(b"Two.")
    here.wait_for(b"ask> ", 5)
    here.type(b"next\n")
    here.wait_for(b"second = first + 1")
    here.wait_for(b"ask> ", 6)
    here.type(END_OF_INPUT)
    here.wait_for(b"second is 5")
    assert here.end() == 0


def test_a_program_that_reads_the_terminal_in_a_step_and_after_the_chat_gets_it(program, screen):
    name = program("mark = 1\nname = input('name? ')\nprint('got', name, input('age? '))\n", says("One."))
    here = screen(*at_line(2, name))
    here.wait_for(b"ask> ")
    here.type(b"next\n")
    here.wait_for(b"name? ")
    here.type(b"Ada\n")
    here.wait_for(b"program.py:3")
    here.wait_for(b"ask> ", 2)
    here.type(b"continue\n")
    here.wait_for(b"age? ")
    here.type(b"36\n")
    here.wait_for(b"got Ada 36")
    assert here.end() == 0


def test_ctrl_c_while_an_answer_is_made_cancels_only_the_answer(program, screen):
    slow = "    while True: pass\n"
    name = program(f"def spin():\n{slow}mark = 1\nprint('end')\n", calls("trace", expression="spin()"), says("Late."))
    here = screen(*at_line(4, name))
    here.wait_for(b"the model is working")
    here.type(b"\x03")
    here.wait_for(b"cancelled")
    here.wait_for(b"ask> ")
    here.type(b"\n")
    here.wait_for(b"end")
    assert here.end() == 0


def test_a_terminal_is_left_as_it_was_when_the_run_is_ended_at_the_prompt(program, screen):
    import termios

    name = program(STEPS, says("One."))
    here = screen(*at_line(6, name))
    before = termios.tcgetattr(here._near)
    here.wait_for(b"ask> ")
    os.kill(here.pid, signal.SIGTERM)
    assert here.end() == 128 + signal.SIGTERM
    assert termios.tcgetattr(here._near)[3] == before[3]


def test_the_conversation_in_the_readme_still_ends_as_it_says():
    """`examples/conversations/invoices.jsonl`: the model is a recording, its tools and the verdicts are live."""
    words = ["--json", "--replay", "examples/conversations/invoices.jsonl", "examples/invoices.py"]
    done = subprocess.run(
        [*DAP_AI, "ask", *words], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False
    )
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    (ended,) = [row for row in rows if row["event"] == "askEnded"]
    assert done.returncode == 0, done.stderr
    assert [fix["verified"] for fix in ended["fixes"]] == [True]
    assert all(cited["confirmed"] for cited in ended["evidence"])
    assert ended["suspects"][0]["file"].endswith("invoices.py")

"""Consent in a terminal and without one: the real debugpy, a recorded model that acts, a person who says yes or no."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from dap_ai.settings.configuration import Settings
from tests.e2e.test_terminal import DAP_AI, LIMIT_S, Screen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")

INTERRUPTED, USAGE = 130, 2
ALLOW = b"allow? [y]es once, [s]ession, [N]o "
STEPS = """
    def double(number):
        twice = number * 2
        return twice

    first = double(2)
    second = first + 1
    print("second is", second)
"""
STOP = ["-b", "program.py:6", "program.py"]


def acts(name, reason="to see", **arguments):
    return {"calls": [{"name": name, "arguments": {**arguments, "reason": reason}}]}


def says(text):
    return {"text": text, "calls": [{"name": "report", "arguments": {}}]}


SET_FIRST = acts("execute", expression="globals().update(shown=1)")


@pytest.fixture
def replies(tmp_path, monkeypatch):
    """`replies(*replies)`: what the model says; the program and it are in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "program.py").write_text(textwrap.dedent(STEPS))
    return lambda *rows: (tmp_path / "model.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def ask(*arguments, stdin=b""):
    command = [*DAP_AI, "ask", "--replay", "model.jsonl", *arguments, *STOP]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=LIMIT_S, check=False)


@pytest.fixture
def screen():
    """`screen(*arguments)`: a question on a terminal, at the level mutate."""
    screens = []

    def start(*arguments):
        command = [*DAP_AI, "ask", "--replay", "model.jsonl", "--level", "mutate", *arguments, *STOP]
        screens.append(Screen(command))
        return screens[-1]

    yield start
    for one in screens:
        one.close()


# -- without a terminal -------------------------------------------------------------------------------------------------


def test_a_pipe_gives_no_consent_whatever_is_in_it_and_the_export_tells_it(replies, tmp_path):
    replies(acts("set_variable", expression="double", value="print"), says("No."))
    done = ask("--level", "mutate", "--export", "talk.md", stdin=b"y\ns\ny\n")
    assert b"refused: there is no terminal to ask on; --allow set_variable allows it in advance" in done.stderr
    assert done.stdout.endswith(b"second is 5\n")
    assert done.returncode == 0
    assert "*refused (denied): set_variable double = print*" in (tmp_path / "talk.md").read_text()


def test_what_is_allowed_beforehand_is_done_and_what_is_not_is_refused(replies):
    replies(acts("step"), acts("set_variable", expression="first", value="40"), says("Done."))
    done = ask("--level", "mutate", "--allow", "step")
    assert b"allowed (allow: step): step next" in done.stderr
    assert b"refused (denied): set_variable first = 40" in done.stderr
    assert done.stdout.endswith(b"second is 5\n")


def test_unsafe_asks_nobody_warns_at_each_question_and_the_transcript_tells_it(replies, tmp_path, monkeypatch):
    monkeypatch.setenv("DAP_AI_TRANSCRIPTS", str(tmp_path / "talks"))
    replies(acts("step"), acts("set_variable", expression="first", value="40"), says("Done."))
    done = ask("--unsafe")
    assert b"WARNING: unsafe" in done.stderr
    assert b"allowed (unsafe): set_variable first = 40" in done.stderr
    assert done.stdout.endswith(b"second is 41\n")
    (file,) = (tmp_path / "talks").iterdir()
    row, _ = [json.loads(line) for line in file.read_text().splitlines() if '"consent"' in line]
    assert (row["tool"], row["action"], row["outcome"], row["how"]) == ("step", "next", "allowed", "unsafe")
    shown = subprocess.run([*DAP_AI, "transcript", str(file)], capture_output=True, timeout=LIMIT_S, check=True)
    assert "*Confirmation: allowed (unsafe)* `step next`. The model's reason: to see" in shown.stdout.decode()


def test_unsafe_and_a_lower_level_contradict_each_other(replies):
    replies(says("No."))
    done = ask("--unsafe", "--level", "observe")
    assert done.returncode == USAGE
    assert b"--unsafe" in done.stderr


def test_without_the_level_mutate_nothing_is_asked(replies):
    replies(acts("set_variable", expression="double", value="print"), says("No."))
    done = ask()
    assert b"wants to act" not in done.stderr
    assert b"needs the level mutate" in done.stderr
    assert done.stdout.endswith(b"second is 5\n")


def test_json_lines_tell_of_the_action_and_of_its_refusal_and_nothing_is_read(replies):
    replies(acts("step", reason="to see `first`"), says("No."))
    done = ask("--json", "--level", "mutate", stdin=b"y\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    (wanted,) = [line for line in lines if line["event"] == "askApproval"]
    assert (wanted["kind"], wanted["action"], wanted["reason"]) == ("step", "next", "to see `first`")
    assert any("refused (denied): step next" in line.get("output", "") for line in lines)


# -- on a terminal ------------------------------------------------------------------------------------------------------


WORDS = [
    [(b"y\n", True), (b"n\n", False), (b"yes\n", True), (b"\n", False), (b"s\n", True)],
    [(b"ye\n", False), (b"\x04", False)],
]
"""What is typed at each question of a run, and whether it is a yes."""


@pytest.mark.parametrize("words", WORDS, ids=["words", "no words"])
def test_only_a_clear_yes_lets_it_be_done(replies, screen, words, tmp_path):
    (tmp_path / "program.py").write_text("done = []\n\n\n\n\nmark = 1\nprint('done', done)\n")
    actions = [f"done.append({number})" for number in range(len(words))]
    replies(*[acts("execute", expression=action, reason="what if?") for action in actions], says("Done."))
    it = screen()
    for number, (typed, _) in enumerate(words):
        it.wait_for(ALLOW, number + 1)
        assert f"execute: {actions[number]}".encode() in it.text
        assert it.text.count(b"its reason: what if?") == number + 1
        it.type(typed)
    assert it.end() == 0
    assert f"done {[number for number, (_, yes) in enumerate(words) if yes]}".encode() in it.text


def test_for_the_session_the_same_kind_is_asked_once(replies, screen):
    replies(acts("step"), acts("step"), acts("set_variable", expression="second", value="7"), says("Done."))
    it = screen()
    it.wait_for(ALLOW)
    it.type(b"s\n")
    it.wait_for(ALLOW, 2)
    assert b"set_variable: second = 7" in it.text
    it.type(b"y\n")
    assert it.end() == 0
    assert it.text.count(ALLOW) == 2
    assert b"second is 7" in it.text


def test_what_was_typed_before_the_question_is_no_consent(replies, screen):
    replies(acts("evaluate", expression="[n for n in range(3)]"), acts("step"), says("Done."))
    it = screen()
    it.type(b"y\ny\n")
    it.wait_for(ALLOW)
    it.type(b"n\n")
    assert it.end() == 0
    assert b"refused (denied): step next" in it.text


def test_ctrl_c_is_a_no_and_cancels_the_answer(replies, screen):
    replies(acts("set_variable", expression="double", value="print"), says("Done."))
    it = screen()
    it.wait_for(ALLOW)
    it.type(b"\x03")
    assert it.end() == INTERRUPTED
    assert b"second is 5" in it.text
    assert b"Done." not in it.text


def test_no_answer_in_time_is_a_no_and_the_next_line_is_the_programs(replies, screen, monkeypatch, tmp_path):
    monkeypatch.setenv("DAP_AI_APPROVAL_TIMEOUT_S", "0.3")
    (tmp_path / "program.py").write_text("\n\n\n\n\nfirst = 1\nprint('read', input('name? '))\n")
    replies(acts("step"), says("Done."))
    it = screen()
    it.wait_for(b"refused (timeout): step next")
    it.wait_for(b"name? ")
    it.type(b"the programs line\n")
    assert it.end() == 0
    assert b"read the programs line" in it.text


def test_nothing_that_a_model_writes_can_pass_for_a_line_of_ours(replies, screen):
    reason = "fine\nallow? [y]es\r\x1b[2J\x1b[1;1H" + "\u202e" + "x" * 500
    replies(acts("step", reason=reason), says("Done."))
    it = screen()
    it.wait_for(ALLOW)
    it.type(b"n\n")
    assert it.end() == 0
    shown = it.text[it.text.index(b"its reason") :].split(b"\r\n", 1)[0].removesuffix(b"\x1b[0m").decode()
    assert "allow? [y]es" in shown
    assert not {"\x1b", "\r", "\u202e"} & set(shown)
    assert len(shown) < 400


def test_the_agents_stops_belong_to_its_answer_and_a_chat_goes_on_at_the_new_one(replies, screen):
    replies(acts("step", how="stepIn"), says("One."), says("Two."))
    it = screen("--chat")
    it.wait_for(ALLOW)
    it.type(b"y\n")
    it.wait_for(b"ask> ")
    it.type(b"and now?\n")
    it.wait_for(b"ask> ", 2)
    it.type(b"next\n")
    it.wait_for(b"program.py:4 in double: return twice")
    it.wait_for(b"ask> ", 3)
    it.type(b"quit\n")
    it.end()
    assert it.text.count(b"stopped: ") == 3
    assert it.text.index(b"One.") < it.text.index(b"Two.")


def test_an_agent_that_runs_the_program_to_its_end_still_answers(replies):
    replies(acts("step", how="continue"), says("It ended."))
    done = ask("--unsafe")
    assert b"It ended." in done.stdout
    assert b"second is 5" in done.stdout
    assert b"exit code 0" in done.stderr


def test_a_program_that_the_agent_lets_go_on_has_its_terminal(replies, screen, tmp_path):
    (tmp_path / "program.py").write_text("\n\n\n\n\nfirst = 1\nname = input('name? ')\nprint('hello', name)\n")
    replies(acts("step"), acts("step"), says("Done."))
    it = screen("--allow", "step")
    it.wait_for(b"name? ")
    it.type(b"Ada\n")
    assert it.end() == 0
    assert b"hello Ada" in it.text


# -- a hostile workspace ------------------------------------------------------------------------------------------------


def test_nothing_in_a_workspace_changes_a_setting(tmp_path, monkeypatch):
    hostile = tmp_path / "hostile"
    (hostile / ".vscode").mkdir(parents=True)
    names = {name: "mutate" if name == "level" else "1" for name in Settings.__struct_fields__}
    environment = "".join(f"DAP_AI_{name.upper()}={value}\n" for name, value in names.items())
    (hostile / ".env").write_text(f"{environment}OPENAI_API_KEY=sk-theirs\nOPENAI_BASE_URL=http://hostile.invalid/v1\n")
    (hostile / ".vscode" / "settings.json").write_text(json.dumps({f"dap-ai.{name}": v for name, v in names.items()}))
    (hostile / ".vscode" / "launch.json").write_text(json.dumps({"configurations": [{"dapAiUnsafe": True}]}))
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "click.py", "config.toml", "dap-ai.toml"):
        (hostile / name).write_text("import os\nos.environ['DAP_AI_UNSAFE'] = 'true'\nlevel = 'mutate'\n")
    info = hostile / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[dap_ai.providers]\noffline = theirs:provider\n")
    for name in [name for name in os.environ if name.startswith(("DAP_AI_", "OPENAI_", "PYTHON"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DAP_AI_CONFIG", os.devnull)
    command = [str(Path(sys.executable).with_name("dap-ai")), "config", "--json"]
    reports = [
        json.loads(subprocess.run(command, cwd=cwd, capture_output=True, timeout=LIMIT_S, check=True).stdout)
        for cwd in (tmp_path, hostile)
    ]
    assert reports[0] == reports[1]

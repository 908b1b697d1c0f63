"""Answers about an exception that was caught and reported: from its traceback and the source, without any value."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.loop.conversation import Conversation
from dap_ai.agent.providers.investigator import opening
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.agent.source.source_file import Sources
from dap_ai.protocol.contracts.question import AcceptedAsk
from dap_ai.protocol.wire.ask_messages import AskArguments
from dap_ai.protocol.wire.caught_messages import Caught, CaughtFrame
from dap_ai.settings.configuration import Settings
from tests.unit.agent.harness import Stopped, ask

PROGRAM = """\
def rows(text):
    for row in text.splitlines():
        if row.startswith("id"):
            return row.split(",")


def total(text):
    found = rows(text)
    return len(found)


def handle(request):
    return total(request["body"])
"""


def caught(folder: Path) -> Stopped:
    file = folder / "shop.py"
    file.write_text(PROGRAM)
    frames = [
        CaughtFrame("/usr/lib/python3/wsgi.py", 10, "run", user=False),
        CaughtFrame(str(file), 13, "handle", user=True),
        CaughtFrame(str(file), 9, "total", user=True),
    ]
    was = Caught("TypeError", "object of type 'NoneType' has no len()", frames, cwd=str(folder))
    return Stopped([], was_caught=was)


def test_the_answer_cites_the_traceback_and_the_source_and_says_that_there_are_no_values(tmp_path):
    answer, heard = ask(caught(tmp_path))
    assert "Nothing stopped here." in answer.text
    assert "without any value" in answer.text
    assert "`TypeError: object of type 'NoneType' has no len()` at `shop.py:9`, in `total`" in answer.text
    assert "return len(found)" in answer.text
    assert "`shop.py:13`, in `handle`" in answer.text
    assert ("shop.py", 8) in [(Path(s.file).name, s.line) for s in answer.suspects]
    assert answer.text.strip() == heard.text("answer").strip()


def test_a_follow_up_recalls_it(tmp_path):
    stopped, agent = caught(tmp_path), SessionAgent(Settings())
    ask(stopped, agent=agent)
    answer, _ = ask(stopped, "what did total do?", agent=agent)
    assert "From this conversation" in answer.text


def test_a_secret_in_its_message_is_masked(tmp_path):
    stopped = caught(tmp_path)
    assert stopped.was_caught is not None
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    stopped.was_caught = Caught("ValueError", f"bad token {secret}", stopped.was_caught.frames, cwd=str(tmp_path))
    answer, heard = ask(stopped)
    assert secret not in answer.text + heard.text("answer")


def test_a_model_is_told_of_it_with_the_source_and_that_no_tool_can_read_the_program(tmp_path):
    stopped = caught(tmp_path)
    assert stopped.was_caught is not None
    work = SimpleNamespace(
        ask=AcceptedAsk("ask-1", "c1", AskArguments()),
        case=None,
        caught=StopReader(stopped, Sources(), "compute").caught(stopped.was_caught),
        conversation=Conversation("c1"),
        settings=Settings(),
        debugger=stopped,
    )
    text = asyncio.run(opening(cast("Any", work)))
    assert "no tool can read the program" in text
    assert "TypeError: object of type 'NoneType' has no len()" in text
    assert "found = rows(text)" in text
    assert text.count(work.conversation.marker) == 2

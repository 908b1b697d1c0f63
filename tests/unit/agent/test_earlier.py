"""A conversation whose session has ended goes on: from what was said, the source there and the output."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.model_port import Reply
from dap_ai.agent.providers.investigator import Investigator
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.wire.ask_messages import AskArguments, Earlier, EarlierTurn
from dap_ai.settings.configuration import Settings
from tests.unit.agent.harness import Heard
from tests.unit.agent.loop.test_agent_loop import Replies


class Ended:
    """A Debugger of a session in which nothing was ever started."""

    stop = None
    current = True
    history: tuple[Any, ...] = ()
    why_no_snapshot = "nothing is stopped"
    can_inspect = False
    calls = 0

    def caught(self) -> None:
        """Nothing was."""

    def output_tail(self) -> tuple[tuple[str, str], ...]:
        return (("stdout", "paid: 41\n"),)


@pytest.fixture
def earlier(tmp_path: Path) -> Earlier:
    program = tmp_path / "payroll.py"
    program.write_text(
        "PASSWORD = 'x7Rt9-Lk2Qz'\n\n\ndef week(row):\n    return row['hours'] + row['overtime'] * 1.5\n"
    )
    return Earlier([EarlierTurn("why did it stop?", "`overtime` is text.", str(program), 5)], "paid: 41\n")


def answer(agent: SessionAgent, question: str, earlier: Earlier) -> Answer:
    ask = AcceptedAsk("ask-1", "conversation-1", AskArguments(question=question, earlier=earlier))
    debugger: Any = Ended()
    return asyncio.run(agent.answer(ask, debugger, Heard()))


def test_the_offline_analyst_answers_from_conversation_source_and_output(earlier: Earlier):
    text = answer(SessionAgent(Settings(), {}), "what was overtime?", earlier).text

    assert "The program has ended" in text
    assert "From this conversation, about payroll.py:5:\n\n`overtime` is text." in text
    assert "   5      return row['hours'] + row['overtime'] * 1.5" in text
    assert "paid: 41" in text


def test_a_model_is_told_what_was_said_with_secrets_masked(earlier: Earlier):
    agent, model = SessionAgent(Settings(), {}), Replies(Reply("It was text."))
    masker: Any = vars(agent)["_masker"]
    vars(agent)["_provider"] = Investigator(model, masker)

    assert answer(agent, "and now?", earlier).text.startswith("It was text.")
    told = model.asked[0][0][-1]["content"]
    for text in (
        "Its session has ended",
        "why did it stop?",
        "`overtime` is text.",
        "row['overtime'] * 1.5",
        "paid: 41",
    ):
        assert text in told
    assert "x7Rt9-Lk2Qz" not in told

"""What an answer calls certain, in a line; and questions that no model is to hear."""

from __future__ import annotations

from pathlib import Path

from dap_ai.agent.session_agent import SessionAgent
from dap_ai.debuggees.python.analysis.claims.gist import gist
from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from dap_ai.settings.configuration import Settings
from tests.unit.agent.harness import ask, case_of, fail

PROGRAM = "def half(n):\n    return n / 2\n\n\nrows = {'a': None}\nprint(half(rows['a']))\n"


def test_what_was_read_at_the_failing_line_is_certain_where_the_cause_is_a_guess(tmp_path: Path):
    (tmp_path / "main.py").write_text(PROGRAM)
    analysis = analyse(case_of(fail(tmp_path / "main.py")))
    assert analysis is not None
    assert gist(analysis, None) == "`n` is `None`"


def test_an_offline_question_is_answered_without_the_model_that_is_set(tmp_path: Path):
    (tmp_path / "main.py").write_text(PROGRAM)
    agent = SessionAgent(
        Settings(provider="openai", base_url="http://127.0.0.1:9", model="none"), {"OPENAI_API_KEY": "k"}
    )
    answer, heard = ask(fail(tmp_path / "main.py"), agent=agent, offline=True)
    assert (answer.usage.provider, answer.error) == ("offline", "")
    assert "model did not answer" not in answer.text
    assert not any("127.0.0.1" in text for text in [heard.text("status")])

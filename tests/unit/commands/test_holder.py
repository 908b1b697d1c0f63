"""What the holder of our stdin may say: who answers, and nothing else; nothing of it is shown."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dap_ai.commands.running.holder import REFUSED, TAKEN, hear
from dap_ai.settings.configuration import ConfigError

KEY = "sk-planted-secret"


class Answering:
    def __init__(self) -> None:
        self.said: list[Mapping[str, str | None]] = []

    def answer_by(self, variables: Mapping[str, str | None]) -> str:
        self.said.append(variables)
        if variables.get("DAP_AI_PROVIDER") == "wrong":
            raise ConfigError("there is no such setting")
        return "qwen answers"


def heard(line: bytes) -> tuple[list[Mapping[str, str | None]], list[str]]:
    answering, told = Answering(), list[str]()
    hear(answering.answer_by, told.append, line)
    return answering.said, told


def test_who_answers_is_changed_and_told():
    line = b'{"answerer": {"DAP_AI_PROVIDER": "openai", "DAP_AI_MODEL": null, "OPENAI_API_KEY": "sk-planted-secret"}}'
    said, told = heard(line)
    assert said == [{"DAP_AI_PROVIDER": "openai", "DAP_AI_MODEL": None, "OPENAI_API_KEY": KEY}]
    assert told == [f"{TAKEN}qwen answers"]


@pytest.mark.parametrize(
    "line",
    [
        b"sk-planted-secret",
        b'{"answerer": {"OPENAI_API_KEY": "sk-planted-secret"',
        b'{"answerer": {"OPENAI_API_KEY": "sk-planted-secret", "DAP_AI_LEVEL": "mutate"}}',
        b'{"answerer": {"OPENAI_API_KEY": "sk-planted-secret", "PATH": "/tmp"}}',
        b'{"answerer": {"OPENAI_API_KEY": ["sk-planted-secret"]}}',
        b'{"answerer": {}, "level": "mutate", "key": "sk-planted-secret"}',
    ],
)
def test_anything_else_is_refused_and_not_repeated(line: bytes):
    said, (told,) = heard(line)
    assert said == [] and told.startswith(REFUSED) and KEY not in told


def test_an_empty_line_is_nothing_and_a_setting_that_cannot_be_used_is_told():
    assert heard(b" ") == ([], [])
    assert heard(b'{"answerer": {"DAP_AI_PROVIDER": "wrong"}}')[1] == [f"{REFUSED}there is no such setting"]

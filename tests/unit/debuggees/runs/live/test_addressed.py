"""Codex, whose model's address is put into its command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dap_ai.debuggees.runs.live.agent_address import AgentAddress, agent_address


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def found(home: Path, command: Sequence[str] = ("codex", "exec", "fix it")) -> AgentAddress | None:
    return agent_address(command, {"CODEX_HOME": str(home)})


def test_the_setting_stands_behind_the_program(home: Path):
    one = found(home)
    assert one is not None
    assert one.url == "https://api.openai.com/v1"
    words = one.command(["codex", "exec", "fix it"], "http://127.0.0.1:9/addressed")
    assert words == ["codex", "-c", 'openai_base_url="http://127.0.0.1:9/addressed/v1"', "exec", "fix it"]


def test_the_token_is_in_a_variable_before_the_users_own_project(home: Path):
    one = found(home)
    assert one is not None
    assert one.environment({}, "T") == {"OPENAI_PROJECT": "T"}
    assert one.environment({"OPENAI_PROJECT": "proj_1"}, "T") == {"OPENAI_PROJECT": "T proj_1"}


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (["/usr/bin/codex"], 1),
        (["npx", "@openai/codex@0.169.0", "exec"], 2),
        (["npx", "-y", "@openai/codex", "exec"], 3),
        (["node", "/x/bin/codex.js"], 2),
    ],
)
def test_it_is_known_however_it_is_started(command: list[str], place: int, home: Path):
    one = found(home, command)
    assert one is not None and one.place == place


@pytest.mark.parametrize("command", [["mini", "codex"], ["node", "a.js", "codex-like"], ["codexx"], []])
def test_what_is_another_program_is_left_alone(command: list[str], home: Path):
    assert found(home, command) is None


@pytest.mark.parametrize(
    "words",
    [
        ["-c", 'model_provider="x"'],
        ["-cmodel_provider=x"],
        ["--config=openai_base_url=x"],
        ["--oss"],
        ["-p", "work"],
        ["--config", "model_providers.x.base_url=y"],
    ],
)
def test_where_the_user_has_said_where_the_model_is_nothing_is_added(words: list[str], home: Path):
    assert found(home, ["codex", "exec", *words, "fix it"]) is None


def test_a_subscription_leads_to_where_it_is_sold(home: Path):
    (home / "auth.json").write_text(json.dumps({"tokens": {"access_token": "t"}, "OPENAI_API_KEY": None}))
    one = found(home)
    assert one is not None and one.url == "https://chatgpt.com/backend-api/codex"


def test_the_users_own_provider_keeps_all_but_its_address(home: Path):
    settings = 'model_provider = "azure"\n[model_providers.azure]\nbase_url = "https://a.example/openai/v1/"\n'
    (home / "config.toml").write_text(settings)
    one = found(home)
    assert one == AgentAddress("https://a.example/openai/v1", 1, "model_providers.azure")
    assert one.command(["codex"], "http://127.0.0.1:9/addressed")[1:] == [
        "-c",
        'model_providers.azure.base_url="http://127.0.0.1:9/addressed/openai/v1"',
        "-c",
        'model_providers.azure.env_http_headers.x-dap-ai-token="DAP_AI_ENDPOINT_TOKEN"',
    ]
    assert one.environment({}, "T") == {"DAP_AI_ENDPOINT_TOKEN": "T"}


def test_settings_that_nobody_can_read_are_none(home: Path):
    (home / "config.toml").write_text("[[[")
    one = found(home)
    assert one is not None and one.url == "https://api.openai.com/v1"

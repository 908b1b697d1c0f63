"""What `dap-ai doctor` says of who would answer."""

from __future__ import annotations

import pytest

from dap_ai.agent.providers.endpoint_errors import BAD_KEY
from dap_ai.commands.options.provider_notice import who_answers
from dap_ai.settings.configuration import Settings
from tests.chat.endpoint import Endpoint

KEY = "sk-a-secret"


def found(environ=None, *, online=False, **settings):
    verdict, text, advice = who_answers(Settings(**settings), environ or {}, online=online)
    return verdict, f"{text}. {advice}"


def test_without_a_key_the_analyst_answers_and_the_way_to_a_model_is_told():
    verdict, text = found()
    assert verdict == "ok"
    assert "offline" in text
    assert "OPENAI_API_KEY" in text


def test_model_and_endpoint_are_named_and_the_key_is_not():
    verdict, text = found({"OPENAI_API_KEY": KEY}, model="m", base_url="http://user:password@127.0.0.1:9/v1?k=v")
    assert verdict == "ok"
    assert "m at http://127.0.0.1:9/v1" in text
    assert "with a key" in text
    assert not any(secret in text for secret in (KEY, "password", "k=v"))


def test_that_no_key_is_set_is_told():
    assert "without a key" in found(base_url="http://127.0.0.1:9/v1")[1]


@pytest.mark.parametrize("settings", [{"provider": "oracle"}, {"provider": "openai"}, {"replay": "/nowhere.jsonl"}])
def test_an_answerer_that_cannot_be_had_is_missing(settings):
    assert found(**settings)[0] == "missing"


def test_nothing_is_recorded_by_looking(tmp_path):
    found(base_url="http://127.0.0.1:9/v1", record=str(tmp_path / "replies.jsonl"))
    assert list(tmp_path.iterdir()) == []


def test_an_endpoint_that_can_be_reached_is_said_to_be():
    with Endpoint(models=["m"], key=KEY) as endpoint:
        verdict, text = found({"OPENAI_API_KEY": KEY}, base_url=endpoint.url, model="m", online=True)
        assert endpoint.connections == 1
    assert (verdict, "can be reached" in text, "does not list" in text) == ("ok", True, False)


def test_a_model_that_the_endpoint_does_not_list_is_said_to_be_none():
    with Endpoint(models=["m"]) as endpoint:
        assert "does not list that model" in found(base_url=endpoint.url, model="n", online=True)[1]


def test_a_key_that_is_not_accepted_is_missing():
    with Endpoint(key=KEY) as endpoint:
        verdict, text = found({"OPENAI_API_KEY": "sk-wrong"}, base_url=endpoint.url, model="m", online=True)
    assert (verdict, BAD_KEY in text, "sk-wrong" in text) == ("missing", True, False)


def test_an_endpoint_that_is_not_there_is_missing():
    with Endpoint() as endpoint:
        url = endpoint.url
    verdict, text = found(base_url=url, model="m", online=True)
    assert (verdict, "is it running?" in text) == ("missing", True)


def test_the_network_is_used_only_if_wished():
    with Endpoint() as endpoint:
        found(base_url=endpoint.url, model="m")
        assert endpoint.connections == 0

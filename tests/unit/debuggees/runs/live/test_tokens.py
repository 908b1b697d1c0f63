"""The endpoint's token: where a request says it, and what is left of the request."""

from __future__ import annotations

import h11
import pytest

from dap_ai.debuggees.runs.live.wire.endpoint_token import admitted

HOST = (b"host", b"127.0.0.1:9")


def request(target: str, **headers: str) -> h11.Request:
    rows = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return h11.Request(method="POST", target=target, headers=[HOST, *rows])


@pytest.mark.parametrize(
    ("asked", "target", "rest"),
    [
        (request("/T/openai/v1/responses"), b"/openai/v1/responses", []),
        (request("/T/gate"), b"/gate", []),
        (request("/addressed/v1/responses", OpenAI_Project="T"), b"/addressed/v1/responses", []),
        (request("/addressed/v1", OpenAI_Project="T proj_1"), b"/addressed/v1", [(b"openai-project", b"proj_1")]),
        (request("/addressed/v1", X_Dap_Ai_Token="T"), b"/addressed/v1", []),
        (request("/T/openai/v1", OpenAI_Project="T"), b"/openai/v1", []),
        (request("/T/openai/v1", OpenAI_Project="proj_1"), b"/openai/v1", [(b"openai-project", b"proj_1")]),
    ],
)
def test_a_request_that_says_the_token_is_passed_on_without_it(asked: h11.Request, target: bytes, rest: list[object]):
    known = admitted(asked, "T")
    assert known is not None
    assert (known.target, list(known.headers)) == (target, [HOST, *rest])


@pytest.mark.parametrize(
    "asked",
    [
        request("/openai/v1/responses"),
        request("/U/openai/v1"),
        request("/addressed/v1", OpenAI_Project="proj_1 T"),
        request("/addressed/v1", X_Other="T"),
        request("*"),
    ],
)
def test_a_request_that_does_not_say_it_is_none(asked: h11.Request):
    assert admitted(asked, "T") is None

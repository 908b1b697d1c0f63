"""Valid messages of every type of the schema pass through a session unchanged, but for the numbers of messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state import effects as fx
from dap_ai.adapter.state.forwarding_rules import CAPABILITY_OF
from tests.conformance.schema import check, messages, names
from tests.playbook import Rules

ANSWERED_HERE = {"cancel", "initialize", "launch", "attach", "disconnect"}
"""Requests that start or end something of ours, or that we may answer: other tests tell how they pass."""
REVERSE = {"RunInTerminalRequest", "StartDebuggingRequest"}
CHANGED = {"progressStart", "stopped", "breakpoint"}
"""Events in which ids of the backend's are replaced by the client's."""
REQUESTS = [name for name in names("Request") if name not in REVERSE]
RESPONSES = [name for name in names("Response") if name.removesuffix("Response") + "Request" in REQUESTS]
some = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def session() -> Session:
    """One whose adapter can do everything, with a program that stands."""
    made = Session(Rules())
    made.receive(fx.FromClient(_body({"seq": 1, "type": "request", "command": "initialize", "arguments": {}})))
    announced = dict.fromkeys(CAPABILITY_OF.values(), True)
    made.receive(
        _backend({"type": "response", "request_seq": 1, "success": True, "command": "initialize", "body": announced})
    )
    made.receive(_backend({"type": "event", "event": "stopped", "body": {"reason": "x", "allThreadsStopped": True}}))
    return made


def _body(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode()


def _backend(message: dict[str, Any]) -> fx.FromBackend:
    return fx.FromBackend(_body({"seq": 1} | message))


def sent(effects: list[fx.Effect], kind: type[fx.ToClient | fx.ToBackend]) -> list[dict[str, Any]]:
    return [json.loads(effect.body) for effect in effects if isinstance(effect, kind)]


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Types too: 1 is not 1.0."""
    numbers = {"seq": 0} | ({"request_seq": 0} if one["type"] == "response" else {})
    return repr(one | numbers) == repr(other | numbers)


@pytest.mark.parametrize("name", REQUESTS)
@given(data=st.data())
@some
def test_a_valid_request_reaches_the_backend_as_it_is(name: str, data: st.DataObject):
    message = data.draw(messages(name))
    if message["command"] in ANSWERED_HERE:
        return
    if message["command"] == "restart":
        message.pop("arguments", None)  # of a launch or an attach, which the schema cannot tell apart
    check(message)
    if message["command"] == "threads":
        message.pop("arguments", None)  # it has none; what is no object is refused here
    if message["command"] in ("evaluate", "completions"):
        message["arguments"] |= {"expression": "1", "text": "x"}
    [got] = sent(session().receive(fx.FromClient(_body(message))), fx.ToBackend)
    assert same(got, message)


@pytest.mark.parametrize("name", RESPONSES)
@given(data=st.data())
@some
def test_a_valid_response_reaches_the_client_as_it_is(name: str, data: st.DataObject):
    command = name[0].lower() + name.removesuffix("Response")[1:]
    if command in ANSWERED_HERE:
        return
    made = session()
    asked = {"seq": 77, "type": "request", "command": command, "arguments": {"expression": "1", "text": "x"}}
    [request] = sent(made.receive(fx.FromClient(_body(asked))), fx.ToBackend)
    message = data.draw(messages(name)) | {"request_seq": request["seq"], "command": command}
    check(message)
    [got] = sent(made.receive(fx.FromBackend(_body(message))), fx.ToClient)
    assert got["request_seq"] == 77
    assert same(got, message)


@pytest.mark.parametrize("name", names("Event"))
@given(data=st.data())
@some
def test_a_valid_event_reaches_the_client_as_it_is(name: str, data: st.DataObject):
    message = data.draw(messages(name))
    check(message)
    [got] = sent(session().receive(fx.FromBackend(_body(message))), fx.ToClient)
    if message["event"] in CHANGED:
        check(got)
    else:
        assert same(got, message)


@pytest.mark.parametrize("name", sorted(REVERSE))
@given(data=st.data())
@some
def test_a_valid_reverse_request_reaches_the_client_and_its_answer_comes_back(name: str, data: st.DataObject):
    made = session()
    message = data.draw(messages(name))
    effects = made.receive(fx.FromBackend(_body(message)))
    if any(isinstance(effect, fx.Listen) for effect in effects):
        return  # it names a listener of the adapter's: other tests tell how that passes
    [got] = sent(effects, fx.ToClient)
    assert same(got, message)
    answer = data.draw(messages(name.removesuffix("Request") + "Response"))
    answer |= {"request_seq": got["seq"], "command": message["command"]}
    [back] = sent(made.receive(fx.FromClient(_body(answer))), fx.ToBackend)
    assert back["request_seq"] == message["seq"]
    assert same(back, answer)

"""Requests that an adapter leaves unanswered, and those that it is never sent."""

from __future__ import annotations

import pytest

from dap_ai.protocol.wire.dap_requests import DEFINED, NEEDED
from tests.conformance.schema import SCHEMA
from tests.playbook import Playbook, Rules
from tests.unit.adapter.test_session_passthrough import stopped


def test_a_request_outside_of_dap_that_nobody_answers_is_answered_by_the_proxy_and_a_late_answer_swallowed():
    Playbook(timers=True).play(
        """
        >> client request 7 customThing {"x": 1}
        << backend request 1 customThing {"x": 1}
        << timer unanswered.1
        >> fired unanswered.1
        << client response 7 customThing fail notAnswered ...
        << timer slots.quiet
        >> backend response 1 customThing ok {"late": true}
        >> client request 8 threads
        << backend request 2 threads
        """
    )


def test_a_request_outside_of_dap_that_is_answered_in_time_passes():
    Playbook(timers=True).play(
        """
        >> client request 7 customThing {"x": 1}
        << backend request 1 customThing {"x": 1}
        << timer unanswered.1
        >> backend response 1 customThing ok {"y": 2}
        << untimer unanswered.1
        << client response 7 customThing ok {"y": 2}
        << timer slots.quiet
        """
    )


def test_a_cancel_that_the_adapter_announced_and_does_not_answer_succeeds():
    Playbook().play(
        """
        >> client request 1 initialize {}
        << backend request 1 initialize {}
        >> backend response 1 initialize ok {"supportsCancelRequest": true}
        << client response 1 initialize ok ...
        >> client request 2 evaluate {"expression": "x", "context": "watch"}
        << backend request 2 evaluate {"expression": "x", "context": "watch"}
        >> client request 3 cancel {"requestId": 2}
        << backend request 3 cancel {"requestId": 2}
        >> fired unanswered.3
        << client response 3 cancel ok
        >> backend response 2 evaluate fail cancelled
        << client response 2 evaluate fail cancelled
        >> backend response 3 cancel ok
        """
    )


def test_who_waits_when_the_adapter_dies_is_answered_once():
    Playbook().play(
        """
        >> client request 7 customThing
        << backend request 1 customThing
        >> backend closed
        << client response 7 customThing fail backendDied ...
        << client event output ...
        << client event terminated
        >> fired unanswered.1
        """
    )


def rules(**facts: object) -> Rules:
    found = Rules()
    vars(found).update(facts)
    return found


def test_an_adapter_that_dies_of_unknown_requests_sees_only_those_it_knows():
    Playbook(rules(vendor_requests=frozenset({"compileUnits"}))).play(
        """
        >> client request 7 customThing {}
        << client response 7 customThing fail notSupported ...
        >> client request 8 compileUnits {"moduleId": "x"}
        << backend request 1 compileUnits {"moduleId": "x"}
        >> client request 9 threads
        << backend request 2 threads
        """
    )


def test_an_adapter_that_dies_without_arguments_is_sent_no_request_that_lacks_them():
    Playbook(rules(ends_without_arguments=True)).play(
        """
        >> client request 7 scopes
        << client response 7 scopes fail invalidArguments ...
        >> client request 8 threads
        << backend request 1 threads
        >> client request 9 scopes {"frameId": 1}
        << backend request 2 scopes {"frameId": 1}
        >> client request 10 setExceptionBreakpoints {"filters": 3}
        << client response 10 setExceptionBreakpoints fail invalidArguments ...
        >> client request 11 evaluate
        << client response 11 evaluate fail invalidArguments ...
        """
    )


def test_an_adapter_that_hangs_after_the_end_is_not_resumed_there():
    Playbook(rules(wedged_when_ended=frozenset({"continue"}))).play(
        """
        >> client request 7 continue {"threadId": 1}
        << backend request 1 continue {"threadId": 1}
        >> backend event terminated
        << client event terminated
        >> client request 8 continue {"threadId": 1}
        << client response 8 continue fail ended ...
        """
    )


def test_a_session_is_initialized_once():
    Playbook().play(
        """
        >> client request 1 initialize {"adapterID": "x"}
        << backend request 1 initialize {"adapterID": "x"}
        >> client request 2 initialize {"adapterID": "x"}
        << client response 2 initialize fail invalidArguments ...
        """
    )


@pytest.mark.parametrize("command", ["continue", "next", "stepIn", "stepOut"])
def test_a_core_file_is_never_resumed(command: str):
    book = Playbook()
    book.play(
        """
        >> client request 1 attach {"program": "a", "coreFile": "core"}
        << prepare attach {"program": "a", "coreFile": "core"}
        >> prepared {"program": "a", "coreFile": "core"}
        << backend request 1 attach {"program": "a", "coreFile": "core"}
        >> backend response 1 attach ok
        << client response 1 attach ok
        >> backend event stopped {"reason": "exception", "threadId": 1, "allThreadsStopped": true}
        << client event stopped {"reason": "exception", "threadId": 1, "allThreadsStopped": true}
        """
    )
    book.play(
        f"""
        >> client request 2 {command} {{"threadId": 1}}
        << client response 2 {command} fail notSupported ...
        """
    )
    assert book.session.state.stopped


def test_a_resume_that_failed_restores_the_stop():
    book = stopped(Playbook())
    book.play(
        """
        >> client request 8 continue {"threadId": 1}
        << backend request 3 continue {"threadId": 1}
        >> backend response 3 continue fail no
        << client response 8 continue fail no
        """
    )
    assert book.session.state.stopped


KINDS = {"array": list, "string": str, "object": dict, None: dict}


def test_the_requests_and_what_they_need_are_those_of_dap():
    needed: dict[str, dict[str, type]] = {}
    commands: set[str] = set()
    for name, shape in SCHEMA["definitions"].items():
        parts = shape["allOf"][1] if name.endswith("Request") and "allOf" in shape else {}
        if "enum" not in parts.get("properties", {}).get("command", {}):
            continue
        command = parts["properties"]["command"]["enum"][0]
        commands.add(command)
        if "arguments" in parts["required"]:
            arguments = SCHEMA["definitions"][parts["properties"]["arguments"]["$ref"].rpartition("/")[2]]
            arguments = arguments["allOf"][1] if "allOf" in arguments else arguments
            kinds = {key: arguments["properties"][key].get("type") for key in arguments.get("required", ())}
            needed[command] = {key: KINDS[kind] for key, kind in kinds.items() if kind != "integer"}
    newer = {"locations": {}}
    assert commands | newer.keys() == DEFINED
    assert needed | newer == NEEDED

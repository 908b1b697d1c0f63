"""What a client reads of a moment in the past: values, their parts, expressions. The runs of the copy are the test's."""

from __future__ import annotations

import json

import pytest

from tests.playbook import Playbook
from tests.unit.adapter.test_past import FIRST, in_the_past

LOCALS = FIRST + 1
NEXT = FIRST + 3
"""The first id after those of the frame and its two scopes."""
LIST = '{"name": "x", "value": "[1]", "type": "list", "parts": 1}'


def with_scopes() -> Playbook:
    play = in_the_past()
    play.play(f'>> client request 6 scopes {{"frameId": {FIRST}}}\n<< client response 6 scopes ok ...')
    return play


def evaluate(play: Playbook, value: dict[str, object], shown: dict[str, object]) -> None:
    """Evaluates `x`, which the copy finds to be `value`, and which the client is to see as `shown`."""
    asked = f'evaluate {{"frameId": {FIRST}, "expression": "x", "context": "watch"}}'
    play.play(
        f"""
        >> client request 7 {asked}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{"root": "=x"}}]}}
        >> looked dap-ai-ask-1 rewound {json.dumps({"seen": [{"value": value}]})}
        << client response 7 evaluate ok {json.dumps(shown)}
        """
    )


def shown_list(reference: int) -> str:
    return f'{{"name": "x", "value": "[1]", "type": "list", "variablesReference": {reference}}}'


def test_an_expression_that_cannot_be_opened_is_shown_with_its_type() -> None:
    evaluate(
        with_scopes(),
        {"name": "", "value": "7", "type": "int"},
        {"result": "7", "type": "int", "variablesReference": 0},
    )


@pytest.mark.parametrize(
    ("parts", "indexed", "ranges"),
    [(101, True, {"indexedVariables": 101}), (100, True, {}), (101, False, {})],
)
def test_a_client_is_told_the_number_of_elements_where_there_are_more_than_a_hundred(
    parts: int, indexed: bool, ranges: dict[str, int]
) -> None:
    evaluate(
        with_scopes(),
        {"name": "", "value": "[...]", "type": "list", "parts": parts, "indexed": indexed},
        {"result": "[...]", "type": "list", "variablesReference": NEXT, **ranges},
    )


def test_an_expression_without_a_value_is_shown_as_nothing() -> None:
    with_scopes().play(
        f"""
        >> client request 7 evaluate {{"frameId": {FIRST}, "expression": "x = 1", "context": "watch"}}
        << look dap-ai-ask-1 ...
        >> looked dap-ai-ask-1 rewound {{"seen": [{{}}]}}
        << client response 7 evaluate ok {{"result": "", "type": "", "variablesReference": 0}}
        """
    )


def test_the_parts_of_an_expressions_value_are_fetched_with_it() -> None:
    with_scopes().play(
        f"""
        >> client request 7 evaluate {{"frameId": {FIRST}, "expression": "x", "context": "watch"}}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{"root": "=x"}}]}}
        >> looked dap-ai-ask-1 rewound {{"seen": [{{"parts": [{LIST}], "value": {LIST}}}]}}
        << client response 7 evaluate ok {{"result": "[1]", "type": "list", "variablesReference": {NEXT}}}
        >> client request 8 variables {{"variablesReference": {NEXT}}}
        << client response 8 variables ok {{"variables": [{shown_list(NEXT + 1)}]}}
        >> client request 9 variables {{"variablesReference": {NEXT + 1}}}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{"path": [0], "root": "=x"}}]}}
        """
    )


def test_a_part_of_a_range_is_opened_by_its_place_among_all_parts() -> None:
    with_scopes().play(
        f"""
        >> client request 7 variables {{"variablesReference": {LOCALS}, "start": 4, "count": 2}}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{"start": 4, "count": 2}}]}}
        >> looked dap-ai-ask-1 rewound {{"seen": [{{"parts": [{LIST}, {LIST}]}}]}}
        << client response 7 variables ok {{"variables": [{shown_list(NEXT)}, {shown_list(NEXT + 1)}]}}
        >> client request 8 variables {{"variablesReference": {NEXT + 1}}}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{"path": [5]}}]}}
        """
    )


def test_a_part_that_cannot_be_opened_has_no_reference() -> None:
    with_scopes().play(
        f"""
        >> client request 7 variables {{"variablesReference": {LOCALS}}}
        << client response 7 variables ok {{"variables": [{shown_list(NEXT)}]}}
        >> client request 8 variables {{"variablesReference": {NEXT}}}
        << look dap-ai-ask-1 ...
        >> looked dap-ai-ask-1 rewound {{"seen": [{{"parts": [{{"name": "0", "value": "1", "type": "int"}}]}}]}}
        << client response 8 variables ok {{"variables": [{{"name": "0", "value": "1", "type": "int", "variablesReference": 0}}]}}
        """
    )  # fmt: skip


def test_the_same_values_are_fetched_once() -> None:
    play = with_scopes()
    evaluate(
        play,
        {"name": "", "value": "7", "type": "int"},
        {"result": "7", "type": "int", "variablesReference": 0},
    )
    play.play(
        f"""
        >> client request 8 evaluate {{"frameId": {FIRST}, "expression": "x", "context": "hover"}}
        << client response 8 evaluate ok {{"result": "7", "type": "int", "variablesReference": 0}}
        """
    )


def test_a_run_that_brings_no_value_fails_the_request_with_the_reason() -> None:
    with_scopes().play(
        f"""
        >> client request 7 evaluate {{"frameId": {FIRST}, "expression": "x", "context": "watch"}}
        << look dap-ai-ask-1 ...
        >> looked dap-ai-ask-1 rewound {{}}
        << client response 7 evaluate fail evaluationFailed {{"error": {{"format": "{{error}}", "id": 9031, "showUser": false, "variables": {{"error": "No step back here: the program does something else each time that it is run."}}}}}}
        """
    )  # fmt: skip


@pytest.mark.parametrize("command", ["scopes", "evaluate"])
def test_a_frame_of_another_moment_is_shown_no_more(command: str) -> None:
    with_scopes().play(
        f"""
        >> client request 7 {command} {{"frameId": {FIRST + 99}, "expression": "x", "context": "watch"}}
        << client response 7 {command} fail staleReference ...
        """
    )


@pytest.mark.parametrize("command", ["completions", "stepInTargets"])
def test_nothing_is_proposed_in_a_frame_of_the_past(command: str) -> None:
    in_the_past().play(
        f"""
        >> client request 7 {command} {{"frameId": {FIRST}, "text": "x", "column": 1}}
        << client response 7 {command} ok {{"targets": []}}
        """
    )


def test_what_a_copy_cannot_tell_is_refused_without_a_message_to_the_user() -> None:
    play = in_the_past()
    play.play(
        '>> client request 7 exceptionInfo {"threadId": 1}\n<< client response 7 exceptionInfo fail notSupported ...'
    )
    (refusal,) = play.session.receive(
        play.event(f'client request 8 dataBreakpointInfo {{"frameId": {FIRST}, "name": "x"}}')
    )
    told = play.render(refusal)
    assert told is not None
    assert told.startswith("client response 8 dataBreakpointInfo fail notSupported")
    assert '"showUser": false' in told
    assert '"command": "dataBreakpointInfo"' in told


def test_a_question_that_is_typed_in_a_frame_of_the_past_is_asked() -> None:
    in_the_past().play(
        f"""
        >> client request 7 evaluate {{"frameId": {FIRST}, "expression": "?? why", "context": "repl"}}
        << client response 7 evaluate ok ...
        << start dap-ai-ask-2 thread 1 epoch 4
        """
    )

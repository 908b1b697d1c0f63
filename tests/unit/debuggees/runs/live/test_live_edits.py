"""The document of what is held, and what an edit of it, or of one value, comes to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.live.gate.orders import AgentHold, Order
from dap_ai.debuggees.runs.running.edit_documents import document, from_document, from_expression
from dap_ai.debuggees.runs.running.live_launch import parse_launch

RESULT = AgentHold(7, "result", 1, value="a.py")
CALL = AgentHold(7, "call", 1, value={"tool": "bash", "arguments": {"command": "ls", "limit": 3}})
QUERY = AgentHold(7, "query", 1, value={"model": "m", "messages": [{"role": "user", "content": "Go."}]})


def edited(held: AgentHold, after: str) -> Order | None:
    return from_document(held, document(held) or "", after)


def test_an_unchanged_document_is_no_edit_nor_is_one_whose_last_line_an_editor_has_ended():
    for held in (RESULT, CALL, QUERY):
        assert edited(held, document(held) or "") is None
    assert edited(RESULT, "a.py\n") is None
    assert edited(QUERY, json.dumps(QUERY.value)) is None


def test_an_empty_document_of_a_text_is_an_edit():
    assert edited(RESULT, "") == Order(7, "edit", text="")


def test_of_an_object_what_is_changed_is_sent():
    order = edited(QUERY, json.dumps({**QUERY.value, "messages": []}))
    assert order == Order(7, "edit", value={"messages": []})
    assert edited(CALL, json.dumps({**CALL.value, "tool": "sh"})) == Order(7, "edit", tool="sh")


@pytest.mark.parametrize("after", ["{", "[]", '{"tool": 3}', '{"tool": "bash", "other": 1}'])
def test_a_document_that_fits_not_is_refused_in_words(after: str):
    with pytest.raises(RequestError):
        edited(CALL, after)


@pytest.mark.parametrize(
    ("held", "expression", "given", "order"),
    [
        (RESULT, "text", '"b.py"', Order(7, "edit", text="b.py")),
        (RESULT, "text", "b.py", Order(7, "edit", text="b.py")),
        (RESULT, "text", '""', Order(7, "edit", text="")),
        (RESULT, "text", "a.py", None),
        (CALL, "tool", '"sh"', Order(7, "edit", tool="sh")),
        (CALL, "args.command", '"pwd"', Order(7, "edit", arguments={"command": "pwd", "limit": 3})),
        (CALL, "args.limit", "4", Order(7, "edit", arguments={"command": "ls", "limit": 4})),
        (CALL, "args", '{"command": "ls"}', Order(7, "edit", arguments={"command": "ls"})),
        (CALL, "args.limit", "3", None),
    ],
)
def test_a_value_is_a_json_literal_or_a_text_as_it_is(
    held: AgentHold, expression: str, given: str, order: Order | None
):
    assert from_expression(held, expression, given)[0] == order


def test_what_is_no_part_of_what_is_held_cannot_be_edited():
    for held, expression in ((RESULT, "tool"), (CALL, "text"), (QUERY, "messages"), (CALL, "status")):
        with pytest.raises(RequestError):
            from_expression(held, expression, '"x"')
    with pytest.raises(RequestError, match="JSON literal"):
        from_expression(CALL, "args.limit", "many")


@pytest.mark.parametrize(
    "fields",
    [{"command": []}, {"command": 3}, {"command": "'open"}, {"command": ["a"], "console": "tv"},
     {"command": ["a"], "env": 3}, {"command": ["a"], "keepAlive": 0}, {"command": ["a"], "stopAt": 3}],
)  # fmt: skip
def test_a_launch_configuration_that_fits_not_is_refused_in_words(fields: dict[str, Any]):
    with pytest.raises(RequestError):
        parse_launch(RequestArguments(fields))


def test_a_launch_configuration_has_defaults():
    found = parse_launch(RequestArguments({"command": "mini -t 'fix it'", "cwd": "/w", "env": {"A": "1", "B": None}}))
    assert (list(found.command), found.workspace) == (["mini", "-t", "fix it"], "/w")
    assert found.env == {"A": "1", "B": None}
    assert parse_launch(RequestArguments({"command": ["a"], "cwd": "/w", "workspace": False})).workspace == ""


def test_variables_stand_before_a_command_as_in_a_shell():
    found = parse_launch(RequestArguments({"command": "MODEL='a b' B=1 mini -t x=1", "cwd": "/w", "env": {"B": "2"}}))
    assert list(found.command) == ["mini", "-t", "x=1"]
    assert found.env == {"MODEL": "a b", "B": "2"}
    with pytest.raises(RequestError):
        parse_launch(RequestArguments({"command": "A=1", "cwd": "/w"}))

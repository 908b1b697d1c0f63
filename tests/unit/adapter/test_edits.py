"""The session keeps values set in the debugger: in a list of variables, as an expression or by a typed line."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.state.assigned import assigned
from dap_ai.protocol.contracts.question import ValueEdit
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped

FRAME = '{"id": 1, "name": "scale", "line": 7, "source": {"path": "/a.py"}}'


def reading() -> Playbook:
    """A session whose client has read a frame, its locals and the members of one of them."""
    announced = ("supportsSetVariable", "supportsSetExpression", "supportsRestartRequest")
    book = stopped(Playbook(), json.dumps(dict.fromkeys(announced, True)))
    book.play(
        f"""
        >> client request 10 stackTrace {{"threadId": 1}}
        << backend request 3 stackTrace {{"threadId": 1}}
        >> backend response 3 stackTrace ok {{"stackFrames": [{FRAME}]}}
        << client response 10 stackTrace ok ...
        >> client request 11 scopes {{"frameId": 1}}
        << backend request 4 scopes {{"frameId": 1}}
        >> backend response 4 scopes ok {{"scopes": [{{"name": "Locals", "variablesReference": 5}}]}}
        << client response 11 scopes ok ...
        """
    )
    listed(book, 12, 5, '{"name": "n", "value": "0"}, {"name": "d", "value": "{}", "variablesReference": 6}')
    listed(book, 13, 6, '{"name": "\'a\'", "value": "1", "evaluateName": "d[\'a\']"}')
    return book


def listed(book: Playbook, seq: int, reference: int, rows: str) -> None:
    book.play(
        f"""
        >> client request {seq} variables {{"variablesReference": {reference}}}
        << backend request {seq - 7} variables {{"variablesReference": {reference}}}
        >> backend response {seq - 7} variables ok {{"variables": [{rows}]}}
        << client response {seq} variables ok ...
        """
    )


def change(book: Playbook, seq: int, command: str, arguments: str, body: str) -> None:
    book.play(
        f"""
        >> client request {seq} {command} {arguments}
        << backend request {seq - 7} {command} {arguments}
        >> backend response {seq - 7} {command} {body}
        << client response {seq} {command} {body}
        """
    )


def edits(book: Playbook) -> list[tuple[str, str, str]]:
    return [(edit.name, edit.value, edit.before) for edit in book.session.state.edits]


def test_a_variable_that_the_client_sets_is_kept_with_its_frame_and_the_value_that_the_client_saw_before():
    book = reading()

    change(book, 14, "setVariable", '{"variablesReference": 5, "name": "n", "value": "3"}', 'ok {"value": "3"}')

    assert book.session.state.edits == [ValueEdit("n", "3", "0", "", "scale", "/a.py", 7, 2, by_user=True)]


def test_what_an_object_holds_is_named_by_its_expression():
    book = reading()

    change(book, 14, "setVariable", '{"variablesReference": 6, "name": "\'a\'", "value": "9"}', 'ok {"value": "9"}')

    assert edits(book) == [("d['a']", "9", "1")]
    assert book.session.state.edits[0].function == "scale"


def test_a_refused_edit_is_dropped_and_two_edits_keep_the_value_before_the_first():
    book = reading()

    change(book, 14, "setVariable", '{"variablesReference": 5, "name": "n", "value": "]"}', "fail syntax {}")
    change(book, 15, "setVariable", '{"variablesReference": 5, "name": "n", "value": "3"}', 'ok {"value": "3"}')
    listed(book, 16, 5, '{"name": "n", "value": "3"}')
    change(book, 17, "setExpression", '{"expression": "n", "frameId": 1, "value": "4"}', 'ok {"value": "4"}')

    assert edits(book) == [("n", "4", "0")]


def test_setting_a_value_back_leaves_no_edit():
    book = reading()

    change(book, 14, "setVariable", '{"variablesReference": 5, "name": "n", "value": "3"}', 'ok {"value": "3"}')
    change(book, 15, "setVariable", '{"variablesReference": 5, "name": "n", "value": "0"}', 'ok {"value": "0"}')

    assert edits(book) == []


def test_an_assignment_that_is_typed_in_the_console_is_kept_and_a_watch_that_only_reads_is_not():
    book = reading()

    typed = '{"context": "repl", "expression": "n = 3", "frameId": 1}'
    change(book, 14, "evaluate", typed, 'ok {"result": ""}')
    typed = '{"context": "repl", "expression": "n == 3", "frameId": 1}'
    change(book, 15, "evaluate", typed, 'ok {"result": "True"}')

    assert [(e.name, e.value, e.before, e.typed) for e in book.session.state.edits] == [("n", "3", "0", "n = 3")]


def test_an_edit_outlives_its_stop_and_not_its_program():
    book = reading()
    change(book, 14, "setVariable", '{"variablesReference": 5, "name": "n", "value": "3"}', 'ok {"value": "3"}')

    change(book, 15, "continue", '{"threadId": 1}', 'ok {"allThreadsContinued": true}')
    assert edits(book) == [("n", "3", "0")]
    change(book, 16, "restart", "{}", "ok {}")
    assert edits(book) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n = 3", [("n", "3")]),
        ("self.rows[0] += 1", [("self.rows[0]", "")]),
        ("a, (b, *c) = rows", [("a", ""), ("b", ""), ("c", "")]),
        ("rows.append(3); d.update(x=1)", [("rows", ""), ("d", "")]),
        ("del d['a']", [("d['a']", "")]),
        ("(n := 2) + 1", [("n", "")]),
        ("setattr(order, 'rate', 2)", [("order.rate", "")]),
        ("n == 3", []),
        ("f(n=3)", []),
        ("rows.index(3)", []),
        ("expr count = 3", [("count", "3")]),
        ("set var p->next = 0", [("p->next", "0")]),
        ("p *list = 4;", [("*list", "4")]),
        ("print i++", [("i", "")]),
        ("-exec set variable total += 2", [("total", "")]),
        ("p a == b", []),
        ("bt", []),
    ],
)
def test_what_a_typed_line_sets(text: str, names: list[tuple[str, str]]):
    assert [(each.name, each.value) for each in assigned(text)] == names

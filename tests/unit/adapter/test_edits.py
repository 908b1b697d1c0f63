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


def test_an_expression_that_is_set_outside_of_any_frame_is_kept_without_a_function():
    book = reading()

    change(book, 14, "setExpression", '{"expression": "limit", "value": "4"}', 'ok {"value": "4"}')
    change(book, 15, "evaluate", '{"context": "repl", "expression": "rate = 3"}', 'ok {"result": ""}')

    assert [(edit.name, edit.function) for edit in book.session.state.edits] == [("limit", ""), ("rate", "")]


def test_what_is_typed_in_a_frame_is_kept_with_its_function():
    book = reading()

    change(book, 14, "evaluate", '{"context": "repl", "expression": "n = 3", "frameId": 1}', 'ok {"result": ""}')

    assert [edit.function for edit in book.session.state.edits] == ["scale"]


def test_an_answer_that_cannot_be_read_is_passed_on_and_counts_as_empty():
    book = reading()

    change(book, 14, "variables", '{"variablesReference": 6}', 'ok {"variables": [{"name": 5}]}')
    change(book, 15, "setVariable", '{"variablesReference": 5, "name": "n", "value": "3"}', 'ok {"value": "3"}')

    assert edits(book) == [("n", "3", "0")]


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


def test_a_variable_that_the_client_has_not_listed_is_named_as_it_was_set():
    book = reading()

    change(book, 14, "setVariable", '{"variablesReference": 5, "name": "m", "value": "3"}', 'ok {"value": "3"}')

    assert [(e.name, e.before, e.function) for e in book.session.state.edits] == [("m", "", "scale")]


def test_a_value_of_200_characters_is_kept_whole_and_a_longer_one_is_cut():
    book = reading()

    change(
        book, 14, "setVariable", '{"variablesReference": 5, "name": "n", "value": ""}', f'ok {{"value": "{"3" * 200}"}}'
    )
    change(
        book, 15, "setVariable", '{"variablesReference": 5, "name": "m", "value": ""}', f'ok {{"value": "{"3" * 201}"}}'
    )

    assert [edit.value for edit in book.session.state.edits] == ["3" * 200, "3" * 197 + "..."]


def scopes_read(book: Playbook, seq: int) -> None:
    scopes = 'ok {"scopes": [{"name": "Locals", "variablesReference": 5}]}'
    book.play(
        f"""
        >> client request {seq} scopes {{"frameId": 1}}
        << backend request {seq - 7} scopes {{"frameId": 1}}
        >> backend response {seq - 7} scopes {scopes}
        << client response {seq} scopes {scopes}
        """
    )


@pytest.mark.parametrize(
    ("count", "size", "before"), [(197, 1, "0"), (198, 1, ""), (3, 300_000, "0"), (3, 400_000, "")]
)
def test_the_value_before_is_known_while_the_answer_that_showed_it_is_kept(count: int, size: int, before: str):
    book = reading()
    for seq in range(14, 14 + count):
        listed(book, seq, 6, f'{{"name": "k", "value": "{"x" * size}"}}')
    scopes_read(book, 14 + count)

    change(book, 15 + count, "setExpression", '{"expression": "n", "frameId": 1, "value": "4"}', 'ok {"value": "4"}')

    assert edits(book) == [("n", "4", before)]


def test_answers_that_are_forgotten_for_their_number_make_room_for_large_ones():
    book = reading()
    for seq in range(14, 17):
        listed(book, seq, 6, f'{{"name": "k", "value": "{"x" * 300_000}"}}')
    for seq in range(17, 217):
        listed(book, seq, 6, '{"name": "k", "value": "x"}')
    scopes_read(book, 217)
    listed(book, 218, 5, '{"name": "n", "value": "0"}')
    listed(book, 219, 6, f'{{"name": "k", "value": "{"x" * 300_000}"}}')

    change(book, 220, "setExpression", '{"expression": "n", "frameId": 1, "value": "4"}', 'ok {"value": "4"}')

    assert edits(book) == [("n", "4", "0")]

"""Which variable a hit data breakpoint watches: by the adapter's id, else one of all that are set."""

from __future__ import annotations

import json

from dap_ai.protocol.contracts.question import WatchedData
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped


def ask(book: Playbook, seq: int, command: str, arguments: object, body: object) -> None:
    """A request of the client, which the adapter answers so."""
    asked, told = json.dumps(arguments), json.dumps(body)
    book.play(
        f"""
        >> client request {seq + 7} {command} {asked}
        << backend request {seq} {command} {asked}
        >> backend response {seq} {command} ok {told}
        << client response {seq + 7} {command} ok ...
        """
    )


def reading() -> Playbook:
    """A session whose client has read `round` and `limit`."""
    book = stopped(Playbook(), '{"supportsDataBreakpoints": true, "supportsSetVariable": true}')
    ask(book, 3, "stackTrace", {"threadId": 1}, {"stackFrames": [{"id": 1, "name": "main", "line": 7}]})
    scopes = [{"name": "Locals", "variablesReference": 5}, {"name": "Globals", "variablesReference": 6}]
    ask(book, 4, "scopes", {"frameId": 1}, {"scopes": scopes})
    ask(book, 5, "variables", {"variablesReference": 5}, {"variables": [{"name": "round", "value": "1"}]})
    ask(book, 6, "variables", {"variablesReference": 6}, {"variables": [{"name": "limit", "value": "10"}]})
    return book


def place(name: str) -> dict[str, object]:
    return {"variablesReference": 6 if name == "limit" else 5, "name": name}


def data_id(book: Playbook, seq: int, info: dict[str, object]) -> None:
    """The client asks for a variable's `dataId`."""
    ask(book, seq, "dataBreakpointInfo", info, {"dataId": f"at {info['name']}", "description": info["name"]})


def watch(book: Playbook, seq: int, *names: str, ids: bool = True, verified: bool = True) -> None:
    """The client sets a data breakpoint for each of the names, and continues."""
    wanted = [{"dataId": f"at {name}", "accessType": "write"} for name in names]
    made = [{"verified": verified} | ({"id": number} if ids else {}) for number, _ in enumerate(names, 7)]
    ask(book, seq, "setDataBreakpoints", {"breakpoints": wanted}, {"breakpoints": made})
    book.play(f'>> client request 90 continue {{"threadId": 1}}\n<< backend request {seq + 1} continue ...')


def watching(*names: str, ids: bool = True, verified: bool = True) -> Playbook:
    """A session whose client has read `round` and `limit` and set a data breakpoint for each of the names."""
    book = reading()
    for seq, name in enumerate(names, 7):
        data_id(book, seq, place(name))
    watch(book, 7 + len(names), *names, ids=ids, verified=verified)
    return book


def stop_at(book: Playbook, **body: object) -> list[WatchedData]:
    told = json.dumps({"threadId": 1, **body})
    book.play(f">> backend event stopped {told}\n<< client event stopped {told}")
    return list(book.session.state.hit)


ROUND = WatchedData("round", "main", "1", "write")
LIMIT = WatchedData("limit", "", "10", "write")


def test_a_hit_names_its_variable_by_the_id_that_the_adapter_gave():
    book = watching("round", "limit")

    assert stop_at(book, reason="data breakpoint", hitBreakpointIds=[8]) == [LIMIT]


def test_without_ids_the_hit_is_one_of_all_that_are_set():
    assert stop_at(watching("round", "limit", ids=False), reason="breakpoint", description="watchpoint 2") == [
        ROUND,
        LIMIT,
    ]


def test_a_line_breakpoint_is_not_a_data_breakpoint_hit():
    assert stop_at(watching("limit"), reason="breakpoint", description="breakpoint 1.1") == []


def test_a_data_breakpoint_that_the_adapter_has_not_verified_is_not_hit():
    assert stop_at(watching("limit", verified=False), reason="data breakpoint") == []


def test_a_data_breakpoint_that_the_client_remembers_from_an_earlier_session_is_not_named():
    book = reading()
    data_id(book, 7, place("round"))
    watch(book, 8, "limit", "round")

    assert stop_at(book, reason="data breakpoint") == [ROUND]


def test_an_expression_in_a_frame_is_named_with_its_function():
    book = reading()
    data_id(book, 7, {"name": "rows[0]", "frameId": 1})
    watch(book, 8, "rows[0]")

    assert stop_at(book, reason="data breakpoint") == [WatchedData("rows[0]", "main", "", "write")]


def test_the_value_before_is_not_told_where_the_user_has_set_it():
    book = reading()
    ask(book, 7, "setVariable", {**place("round"), "value": "5"}, {"value": "5"})
    data_id(book, 8, place("round"))
    data_id(book, 9, place("limit"))
    watch(book, 10, "round", "limit")

    assert stop_at(book, reason="data breakpoint") == [WatchedData("round", "main", "", "write"), LIMIT]


def test_the_value_before_is_told_of_the_first_hit_alone():
    book = watching("round")
    stop_at(book, reason="data breakpoint")
    book.play('>> client request 91 continue {"threadId": 1}\n<< backend request 10 continue ...')

    assert stop_at(book, reason="data breakpoint") == [WatchedData("round", "main", "", "write")]


def test_the_value_of_an_earlier_stop_is_not_told():
    book = watching("round")
    stop_at(book, reason="step")
    watch(book, 10, "round")

    assert stop_at(book, reason="data breakpoint") == [WatchedData("round", "main", "", "write")]

"""Which variable a hit data breakpoint watches: by the adapter's id, else one of all that are set."""

from __future__ import annotations

import json

from dap_ai.protocol.contracts.question import WatchedData
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped


def watching(*names: str, ids: bool = True) -> Playbook:
    """A session whose client has read `round` and `limit` and set a data breakpoint for each of the names."""
    book = stopped(Playbook(), '{"supportsDataBreakpoints": true}')
    seqs = iter(range(3, 100))

    def ask(command: str, arguments: object, body: object) -> None:
        seq, asked, told = next(seqs), json.dumps(arguments), json.dumps(body)
        book.play(
            f"""
            >> client request {seq + 7} {command} {asked}
            << backend request {seq} {command} {asked}
            >> backend response {seq} {command} ok {told}
            << client response {seq + 7} {command} ok ...
            """
        )

    ask("stackTrace", {"threadId": 1}, {"stackFrames": [{"id": 1, "name": "main", "line": 7}]})
    scopes = [{"name": "Locals", "variablesReference": 5}, {"name": "Globals", "variablesReference": 6}]
    ask("scopes", {"frameId": 1}, {"scopes": scopes})
    ask("variables", {"variablesReference": 5}, {"variables": [{"name": "round", "value": "1"}]})
    ask("variables", {"variablesReference": 6}, {"variables": [{"name": "limit", "value": "10"}]})
    for name in names:
        info = {"variablesReference": 6 if name == "limit" else 5, "name": name}
        ask("dataBreakpointInfo", info, {"dataId": f"at {name}", "description": name})
    wanted = [{"dataId": f"at {name}", "accessType": "write"} for name in names]
    made = [{"verified": True} | ({"id": number} if ids else {}) for number, _ in enumerate(names, 7)]
    ask("setDataBreakpoints", {"breakpoints": wanted}, {"breakpoints": made})
    book.play(f'>> client request 90 continue {{"threadId": 1}}\n<< backend request {next(seqs)} continue ...')
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

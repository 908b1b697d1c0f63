"""What the structs between the agent, the adapter and an inspector mean where they leave something out."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import msgspec
import pytest

from dap_ai.protocol.contracts import (
    backend,
    debugger,
    inspection,
    question,
    repeatable_run,
    rewind_messages,
    snapshot_messages,
)
from dap_ai.protocol.contracts.backend import BackendRules
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.contracts.question import NotAnswered
from dap_ai.protocol.contracts.run_tool_arguments import RUN_TOOLS
from dap_ai.protocol.contracts.snapshot_messages import (
    EditedSource,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    Statements,
    TracedLine,
)
from dap_ai.protocol.contracts.tool_arguments import TOOLS, SourceArguments, ToolArguments
from dap_ai.protocol.wire import ask_messages, caught_messages, lent_replies, session_messages, value_path
from tests.conftest import ROOT

REPLIES = (inspection, rewind_messages, snapshot_messages)
OTHERS = (backend, debugger, question, repeatable_run)
WIRE = (ask_messages, caught_messages, lent_replies, session_messages, value_path)
LIMITS = re.compile(r"max_\w+|deadline_\w+|memory_bytes")
MEANINGS: dict[str, dict[str, object]] = {
    "FrameQuery": {"variables": True},
    "Query": {"level": "compute", "exception": True, "threads": True},
    "Value": {"kind": "object"},
    "Binary": {"debug_info": True},
    "Inspection": {"kind": "python"},
    "MomentQuery": {"root": "locals"},
    "Rewound": {"first": 1},
    "Statements": {"line": 1},
    "SnapshotQuery": {"waits": 1.0},
    "ValueChanges": {"count": 1},
    "TracedLine": {"count": 1},
    "TracedCall": {"caller": -1},
    "StepHistory": {"first": 1},
    "AskToolArguments": {"arguments": msgspec.Raw(b"{}")},
    "ModelFailure": {"code": "failed"},
    "Caught": {"filter": "userUnhandled"},
    "SessionInfo": {"state": "starting"},
}
"""What a field says where it is left out; any other, but for limits, says nothing and asks for nothing."""


def structs(*modules: Any) -> list[type[msgspec.Struct]]:
    found = [shape for module in modules for _, shape in inspect.getmembers(module, inspect.isclass)]
    own = {module.__name__ for module in modules}
    return [shape for shape in found if issubclass(shape, msgspec.Struct) and shape.__module__ in own]


@pytest.mark.parametrize("shape", structs(*REPLIES, *OTHERS, *WIRE), ids=lambda shape: shape.__name__)
def test_what_is_left_out_says_nothing_and_asks_for_nothing_more(shape: type[msgspec.Struct]):
    given = {field.name: field.default for field in msgspec.structs.fields(shape)}
    told = {name: value for name, value in given.items() if value and value not in (msgspec.NODEFAULT, msgspec.UNSET)}
    assert {name: value for name, value in told.items() if not LIMITS.fullmatch(name)} == MEANINGS.get(
        shape.__name__, {}
    )


SHORT = [
    shape
    for shape in structs(*REPLIES, ask_messages)
    if any(not field.required for field in msgspec.structs.fields(shape)) and not shape.__struct_config__.array_like
]
WHOLE = {"EditedSource", "StepHistory", "Fix", "Usage", "AskEnded"}
"""Messages whose every field is there; a client need not know the defaults of an answer's."""


@pytest.mark.parametrize("shape", SHORT, ids=lambda shape: shape.__name__)
def test_a_message_leaves_out_what_it_has_nothing_to_say_of(shape: type[msgspec.Struct]):
    required = [field for field in msgspec.structs.fields(shape) if field.required]
    sent = json.loads(msgspec.json.encode(shape(**{field.name: 0 for field in required})))
    assert (sent == {field.encode_name: 0 for field in required}) is (shape.__name__ not in WHOLE)


@pytest.mark.parametrize(
    "tool", [*TOOLS.values(), *RUN_TOOLS.values()], ids=lambda tool: f"{tool.__module__[-20:]} {tool.tool}"
)
def test_the_docs_tell_what_a_tool_does_without_an_argument(tool: type[ToolArguments]):
    docs = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| `{tool.tool}` \| \w+ \| `{{(.*?)}}` \| ", docs, re.MULTILINE)
    defaults = {field.encode_name: field.default for field in msgspec.structs.fields(tool)}
    numbers = {name: f"{value:g}" for name, value in defaults.items() if isinstance(value, int | float)}
    told = [re.findall(r"(\w+) = (\d+|true|false)", row) for row in rows]
    assert numbers in [{name: {"true": "1", "false": "0"}.get(value, value) for name, value in row} for row in told]


@pytest.mark.parametrize("given", [{"file": "a.py", "line": 0}, {"file": "a.py", "lines": 3}, {"line": 3}])
def test_arguments_that_a_tool_does_not_take_are_refused(given: dict[str, object]):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(given, SourceArguments)


def test_a_call_of_a_tool_tells_only_what_differs_from_its_defaults():
    assert msgspec.json.encode(SourceArguments("a.py", 1, window=7)) == b'{"file":"a.py","window":7}'


def test_rules_of_an_adapter_forbid_nothing_and_promise_nothing_by_themselves():
    class Plain(BackendRules):
        pass

    rules = Plain()
    assert not any((rules.denied, rules.wedged_while_running, rules.wedged_when_ended, rules.runs_code))
    assert not any((rules.ends_without_arguments, rules.scopes_shared, rules.runs_again, rules.told_of_client))
    assert (rules.vendor_requests, rules.greeting) == (None, None)


def test_a_question_without_an_answer_is_by_itself_neither_late_nor_our_fault():
    assert NotAnswered("The program runs.")[1:] == (False, False)


def test_a_copy_may_take_as_much_memory_as_the_docs_say():
    [megabytes] = re.findall(r"no more memory than (\d+) MB", (ROOT / "docs/security.md").read_text(encoding="utf-8"))
    assert SnapshotQuery(1).memory_bytes == int(megabytes) << 20


@pytest.mark.parametrize(
    ("query", "trial"),
    [
        (SnapshotQuery(1, "f()"), False),
        (SnapshotQuery(1, statements=Statements("f()")), False),
        (SnapshotQuery(1, statements=Statements("g()", edited=True)), True),
        (SnapshotQuery(1, "f()", edits=[EditedSource("/a.py", "f", "g")]), True),
    ],
)
def test_a_trial_is_a_run_of_what_was_changed(query: SnapshotQuery, trial: bool):
    assert query.is_trial is trial


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (SnapshotResult("ok", Value("1", "int"), effects=["os.remove 'x'"]), ""),
        (SnapshotResult("raised", error="PermissionError: [Errno 13] Permission denied"), ""),
        (SnapshotResult("ok", refusals=["read data.txt"]), "a copy may not read data.txt"),
        (
            SnapshotResult("ok", refusals=["read a", "read b", "read c", "read d", "read e"]),
            "a copy may not read a, read b, read c, and 2 more",
        ),
        (SnapshotResult("ok", refusals=["read a", "read b", "read c"]), "a copy may not read a, read b, read c"),
        (
            SnapshotResult("raised", error="PermissionError: a snapshot", effects=["os.remove 'x'"]),
            "a copy may not do this: `os.remove 'x'`",
        ),
        (
            SnapshotResult("raised", error="PermissionError: [Errno 1] Operation not permitted"),
            "a copy may not reach outside itself",
        ),
    ],
)
def test_a_result_of_a_copy_that_was_refused_something_says_nothing_and_why(result: SnapshotResult, reason: str):
    assert (result.unknown, result.was_refused) == (reason, bool(reason))


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (SnapshotResult("unavailable: threads hold a lock: 3", error="x"), "threads hold a lock: 3"),
        (SnapshotResult("unavailable", error="the debuggee ended"), "the debuggee ended"),
        (SnapshotResult("unavailable: "), "no snapshot could be made"),
    ],
)
def test_why_there_is_no_snapshot_is_always_said(result: SnapshotResult, reason: str):
    assert result.reason == reason


def test_lines_that_ran_first_after_the_raise_are_late_where_the_raise_is_known():
    lines = [TracedLine("a.py", number, "f") for number in (1, 2, 3)]
    assert [line.line for line in RunTrace(lines, before=1).late] == [2, 3]
    assert RunTrace(lines, before=0).late == lines
    assert RunTrace(lines).late == []

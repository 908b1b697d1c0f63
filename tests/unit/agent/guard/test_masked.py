"""What the agent reads is masked as it comes, and what it lets out once more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from dap_ai.agent.case.evidence import is_same
from dap_ai.agent.guard.masked import NOT_AS_IS, MaskedModel, MaskedSink, masked_answer, not_answered
from dap_ai.agent.guard.masked_debugger import MaskedDebugger
from dap_ai.agent.guard.masked_values import label_of
from dap_ai.agent.loop.toolbox import Toolbox
from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.masking.placeholders import in_its_place
from dap_ai.agent.model_port import Reply, ToolCall
from dap_ai.agent.sanitize import to_node
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.report_tool import ReportTool
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameQuery, Query, Value
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer, HistoryItem, NotAnswered
from dap_ai.protocol.contracts.snapshot_messages import RaisedException, SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.ask_messages import AskArguments, Fix, ToolStep, Usage
from dap_ai.protocol.wire.errors import NotStopped
from dap_ai.protocol.wire.safe import as_it_is
from dap_ai.protocol.wire.value_path import PathNode, SiblingValue
from dap_ai.settings.configuration import Settings
from tests.unit.agent.harness import Heard, Stopped, case_of
from tests.unit.debuggees.python.visiting import frame_of

SECRET = "tr0ub4dor&3"
LONG = "x9-" * 300


def stopped(copy: Callable[[SnapshotQuery], SnapshotResult] | None = None, **names: Any) -> Stopped:
    return Stopped([(frame_of(names), 1, None)], copy=copy, why_no_snapshot="" if copy else "no copies")


def read(debugger: MaskedDebugger, *expressions: str) -> list[ExpressionResult]:
    nodes = [to_node(text) for text in expressions]
    query = Query([FrameQuery(1, expressions=nodes)])
    asyncio.run(debugger.inspect(query))  # the first visit is what tells of the secrets
    return asyncio.run(debugger.inspect(query)).frames[0].values


def texts(facts: list[ExpressionResult]) -> list[str]:
    return [fact.value.text if fact.value else fact.error for fact in facts]


def test_the_path_of_a_value_is_masked():
    masker = Masker()
    masker.learn_text(SECRET)
    node = PathNode("password", f"'{SECRET}'", "frame", "/a.py", 1, "f", "set", note=SECRET, beside=[])
    node.beside = [SiblingValue(f"open('{SECRET}')", SECRET)]
    told = repr(masked_answer(masker, Answer(path=[node])).path)
    assert SECRET not in told
    assert masker.placeholder(SECRET) in told


def test_values_are_masked_as_they_are_read():
    masker = Masker()
    debugger = MaskedDebugger(stopped(password=SECRET, copied=SECRET, total=3), masker, hiding=False)
    shown = f"'{masker.placeholder(SECRET)}'"
    assert texts(read(debugger, "password", "copied", "total")) == [shown, shown, "3"]


def test_a_secret_that_the_inspector_cuts_is_known_as_a_whole():
    masker = Masker()
    debugger = MaskedDebugger(stopped(api_token=LONG), masker, hiding=False)
    read(debugger, "api_token")
    assert masker.mask(f"it is {LONG}.") == f"it is {masker.placeholder(LONG)}."


@pytest.mark.parametrize(
    "derived",
    [
        "password[::-1]",
        "password[0]",
        "[c for c in password]",
        "copied[1]",
        "copied + 'x'",
        "list(rows.values())[0][1:]",
    ],
)
def test_nothing_is_computed_from_a_secret_for_a_model(derived: str):
    program = stopped(password=SECRET, copied=SECRET, rows={"password": SECRET})
    (fact,) = read(MaskedDebugger(program, Masker(), hiding=True), derived)
    assert fact.error == "refused" and "use the name alone" in fact.text


@pytest.mark.parametrize("plain", ["total + 1", "len(password)", "rows['password']", "names[0]", "[n for n in names]"])
def test_what_is_no_part_of_a_secret_is_read_for_a_model_too(plain: str):
    program = stopped(password=SECRET, rows={"password": SECRET}, total=3, names=["ann", "bob"])
    (fact,) = read(MaskedDebugger(program, Masker(), hiding=True), plain)
    assert not fact.error


def test_answers_keep_the_order_of_what_was_asked_where_some_is_refused():
    debugger = MaskedDebugger(stopped(password=SECRET, total=3), Masker(), hiding=True)
    assert texts(read(debugger, "total", "password[::-1]", "total + 1")) == ["3", "refused", "4"]


def test_a_copy_for_a_model_is_told_what_to_hide_and_its_answer_is_as_masked():
    masker, asked = Masker(), list[SnapshotQuery]()

    def copy(query: SnapshotQuery) -> SnapshotResult:
        asked.append(query)
        return SnapshotResult("ok", Value(repr(query.hidden[0].shown), "str", "str"))

    debugger = MaskedDebugger(stopped(copy, password=SECRET), masker, hiding=True)
    read(debugger)
    result = asyncio.run(debugger.snapshot(SnapshotQuery(1, "password")))
    assert [one.secret for one in asked[0].hidden] == [SECRET]
    assert len(asked[0].hidden[0].shown) == len(SECRET)
    assert result.value and result.value.text == f"'{masker.placeholder(SECRET)}'"


def test_a_copy_for_the_user_has_its_secrets():
    asked: list[SnapshotQuery] = []
    program = stopped(lambda query: asked.append(query) or SnapshotResult("ok"), password=SECRET)
    debugger = MaskedDebugger(program, Masker(), hiding=False)
    read(debugger)
    asyncio.run(debugger.snapshot(SnapshotQuery(1, "password")))
    assert asked[0].hidden == []


@pytest.mark.parametrize("size", [6, 7, 12, 13, 14, 40])
def test_what_stands_for_a_secret_in_a_copy_is_as_long_as_it(size: int):
    assert len(in_its_place("<secret:3f2a>", size)) == size
    assert len(in_its_place("<secret:3f2ab1>", size)) == size


@pytest.mark.parametrize(
    ("text", "name"),
    [("password", "password"), ("a.b.token", "token"), ("rows['api_key']", "api_key"), ("f(x)", ""), ("a + b", "")],
)
def test_an_expression_has_the_name_of_its_value(text: str, name: str):
    assert label_of(text) == name


def test_the_output_and_the_history_are_masked_across_their_pieces():
    program = stopped(password=SECRET)
    program.output = [("stdout", f"using {SECRET[:4]}"), ("stdout", f"{SECRET[4:]}\n")]
    program.did = [HistoryItem("evaluate", "password", repr(SECRET))]
    debugger = MaskedDebugger(program, Masker(), hiding=False)
    read(debugger)
    assert SECRET[4:] not in str(debugger.output_tail()) + str(debugger.history())


def test_colours_are_left_out_of_what_a_copy_raises_before_it_is_masked():
    masker, said = Masker(), f"\x1b[91m{SECRET[:4]}\x1b[0m{SECRET[4:]}"
    masker.learn_text(SECRET)
    raised = SnapshotResult("raised", error=f"ValueError: {said}", raised=RaisedException("ValueError", said))
    debugger = MaskedDebugger(stopped(lambda _: raised), masker, hiding=False)
    result = asyncio.run(debugger.snapshot(SnapshotQuery(1, "f()")))
    assert result.raised and result.raised.message == masker.placeholder(SECRET)
    assert result.error == f"ValueError: {masker.placeholder(SECRET)}"


def test_a_cited_placeholder_is_confirmed_with_and_without_quotes():
    fact = ExpressionResult(Value("'<secret:3f2a>'", "str", "str"))
    assert is_same("'<secret:3f2a>'", fact) and is_same("<secret:3f2a>", fact)
    assert not is_same("'<secret:3f2b>'", fact)


def test_a_sink_masks_text_that_comes_in_pieces_and_keeps_the_order_of_steps():
    masker, heard = Masker(), Heard()
    masker.learn_text(SECRET)
    sink = MaskedSink(heard, masker)
    for piece in ("It is ", SECRET[:5], SECRET[5:]):
        sink.emit("answer", piece)
    sink.emit("tool", f"evaluate({SECRET})", ToolStep("evaluate", f"evaluate({SECRET})", SECRET))
    assert [kind for kind, _, _ in heard.items] == ["answer", "tool"]
    assert SECRET not in str(heard.items)


def test_a_model_is_sent_no_secret_and_keeps_the_ids_of_its_calls():
    sent: list[Any] = []

    class Deaf:
        provider = name = notice = "deaf"

        async def stream(self, messages: Any, tools: Any):
            sent.extend(messages)
            yield Reply("")

    masker = Masker()
    masker.learn_text(SECRET)
    call = {"id": "call_aB3dE5fG7hI9jK1lM3nO5p", "type": "function", "function": {"name": "evaluate"}}
    call["function"]["arguments"] = f'{{"expression": "check(\'{SECRET}\')"}}'  # type: ignore[index]
    messages = [{"role": "assistant", "content": f"It is {SECRET}", "tool_calls": [call]}]

    async def say() -> None:
        async for _ in MaskedModel(Deaf(), masker).stream(messages, []):  # type: ignore[arg-type]
            pass

    asyncio.run(say())
    assert SECRET not in str(sent) and sent[0]["tool_calls"][0]["id"] == call["id"]
    assert SECRET in str(messages), "the caller's own are as they were"


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("evaluate", '{"expression": "check(\'<secret:3f2a>\')"}', "Use the name of a variable"),
        ("try_fix", '{"edits": [{"file": "a.py", "first": 1, "last": 1, "text": "x = \'<secret:3f2a>\'"}]}', "unmask"),
        ("search", '{"text": "<secret:3f2a>"}', "Use the name of a variable"),
    ],
)
def test_a_call_with_a_placeholder_is_told_to_use_the_name(tool: str, arguments: str, told: str):
    program = stopped(lambda _query: SnapshotResult("ok"), password=SECRET)
    bench = ToolContext(program, case_of(program), as_it_is)
    toolbox = Toolbox(bench, Heard(), Usage(), ReportTool(), "data-1")
    assert told in asyncio.run(toolbox.call(ToolCall("1", tool, arguments)))


def test_a_fix_that_holds_a_secret_says_that_it_cannot_be_applied():
    masker = Masker()
    fix = Fix("a.py", f'-password = "{SECRET}"\n+x = 1\n', True, "", "it passes")
    masked_answer(masker, Answer(fixes=[fix]))
    assert SECRET not in fix.diff and fix.result == f"it passes; {NOT_AS_IS}"


def test_why_there_is_no_answer_is_told_without_secrets():
    masker = Masker()
    masker.learn_text(SECRET)
    assert not_answered(masker, KeyError("total")).text == "KeyError: 'total'"
    assert SECRET not in str(not_answered(masker, ValueError(f"bad {SECRET}")))
    gone = not_answered(masker, NotStopped("ask", f"gone with {SECRET}"))
    assert gone.stale and not gone.is_ours and SECRET not in gone.text


def test_a_crash_of_ours_tells_no_secret():
    program = stopped(password=SECRET)

    async def crash(command: str, arguments: Any) -> dict[str, Any]:
        raise ZeroDivisionError(f"password={SECRET!r}")

    program.request = crash  # type: ignore[method-assign]
    agent, ask = SessionAgent(Settings()), AcceptedAsk("ask-1", "c1", AskArguments())
    answer = asyncio.run(agent.answer(ask, program, Heard()))
    assert isinstance(answer, NotAnswered) and answer.is_ours
    assert SECRET not in answer.text and "ZeroDivisionError" in answer.text


def test_a_question_with_a_secret_is_said_to_go_on_masked():
    heard = Heard()
    ask = AcceptedAsk("ask-1", "c1", AskArguments(question=f"why is password={SECRET!r} refused?"))
    answer = asyncio.run(SessionAgent(Settings()).answer(ask, stopped(total=3), heard))
    assert "the question contains a secret" in heard.text("status") and SECRET not in str(heard.items)
    assert answer.masked and all(SECRET not in str(row) for row in answer.masked)


def test_a_text_is_new_once() -> None:
    masker, text = Masker(), "password = 'tr0ub4dor&3x'"
    assert [masker.is_new(text), masker.is_new(text), masker.is_new(text + " ")] == [True, False, True]

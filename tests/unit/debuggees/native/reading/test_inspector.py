"""The native inspector over an adapter in a few lines: values, expressions, bounds, and what is never sent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.native.reading.adapter_reader import MAX_REQUESTS
from dap_ai.debuggees.native.reading.native_inspector import NativeInspector
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameQuery, Inspection, Node, Query, Value
from dap_ai.protocol.wire.errors import NotStopped
from tests.unit.backends import elf_files
from tests.unit.debuggees.native.reading.adapter import FakeAdapter, Row, var

pytestmark = pytest.mark.anyio
ZERO = "0x0000000000000000"
NODE = [var("id", "int", "2"), var("next", "Node *", ZERO, [])]
ROWS: list[Row] = [
    var("x", "int", "41"),
    var("p", "Node *", "0x0000000000005550", NODE),
    var("none", "Node *", ZERO, [var("id", "int", "<error: parent is NULL>")]),
    var("wild", "Node *", "0x10", [var("id", "int", "<error: read memory from 0x10 failed (0 of 4 bytes read)>")]),
    var("first", "Node", "Node", NODE),
    var("a", "int[3]", "int[3]", [var(f"[{n}]", "int", str(n)) for n in range(3)], indexedVariables=3),
    var("big", "std::vector<int>", "size=10000", [], indexedVariables=10000),
    var("s", "const char *", '0x0000000000004010 "hi"'),
    var("color", "Color", "GREEN"),
    var("price", "Money", "Money", [var("cents", "int", "3")]),
    var("gone", "int", "<optimized out>"),
    var("stock", "std::map<int, int>", "size=1", [var("[0]", "std::pair<const int, int>", "", [var("first", "const int", "1"), var("second", "int", "7")])], indexedVariables=1),
]  # fmt: skip


def name(text: str) -> Node:
    return ["n", text]


async def visited(adapter: FakeAdapter, *nodes: Node, hovers: bool = True, **settings: Any) -> Inspection:
    frame = FrameQuery(frame_id=7, expressions=list(nodes), variables=not nodes)
    query = Query([frame], **{"exception": False, "threads": False, "deadline_ms": 60_000, **settings})
    return await NativeInspector(hovers=hovers).inspect(adapter.request, query)


async def value(variable: str, adapter: FakeAdapter | None = None, **settings: Any) -> Value:
    frame = (await visited(adapter or FakeAdapter(ROWS), **settings)).frames[0]
    return next(each.value for each in [*frame.arguments, *frame.locals] if each.name == variable)


async def fact(*nodes: Node, hovers: bool = False) -> ExpressionResult:
    return (await visited(FakeAdapter(ROWS), *nodes, hovers=hovers)).frames[0].values[0]


@pytest.mark.parametrize(
    ("variable", "text", "kind"),
    [
        ("x", "41", "int"),
        ("p", "0x5550 -> {id=2, next=null}", "pointer"),
        ("none", "null", "pointer"),
        ("first", "{id=2, next=null}", "struct"),
        ("a", "[0, 1, 2]", "array"),
        ("s", '"hi"', "str"),
        ("color", "GREEN", "enum"),
        ("stock", "{1: 7}", "dict"),
    ],
)
async def test_a_value_is_written_as_a_programmer_does(variable: str, text: str, kind: str):
    found = await value(variable)
    assert (found.text, found.kind) == (text, kind)


@pytest.mark.parametrize(
    ("variable", "note"), [("none", "null"), ("wild", "not readable"), ("gone", "optimised out"), ("p", "")]
)
async def test_a_pointer_that_leads_nowhere_and_a_value_that_is_gone_say_so(variable: str, note: str):
    assert (await value(variable)).note == note


LOST = "<error: Cannot access memory at address 0x4141>"


@pytest.mark.parametrize("paths", [True, False])
async def test_a_pointer_to_characters_that_leads_nowhere_is_no_empty_text(paths: bool):
    row = var("s", "const char *", '0x0000000000004141 ""', [var("*s", "const char", LOST)])
    if not paths:
        row = var("s", "const char *", LOST, memoryReference="0x4141")
    adapter = FakeAdapter([row], {"s[0]": LOST}, paths=paths)
    found = await value("s", adapter)
    assert (found.text, found.kind, found.address, found.note) == ("0x4141", "pointer", 0x4141, "not readable")
    assert (await visited(adapter, name("s"))).frames[0].values[0].value == found


async def test_an_empty_text_is_one_where_there_is_memory():
    rows = [var("s", "const char *", '0x0000000000004141 ""', [var("*s", "const char", "'\\0'")])]
    assert (await value("s", FakeAdapter(rows))).text == '""'
    rows = [var("s", "const char *", '0x0000000000004141 ""')]
    assert (await value("s", FakeAdapter(rows))).text == "0x4141", "nothing is listed behind it: it is not known"


async def test_of_a_big_container_only_what_is_shown_is_asked_for():
    items: dict[str, Row | str] = {f"big[{n}]": var("", "int", str(n)) for n in range(10_000)}
    adapter = FakeAdapter(ROWS, items)
    found = await value("big", adapter, max_items=3)
    assert (found.text, found.length) == ("[0, 1, 2, ... 9997 more]", 10_000)
    assert [a["expression"] for c, a in adapter.sent if c == "evaluate"] == ["big[0]", "big[1]", "big[2]"]


async def test_gdb_s_pointer_is_followed_through_its_only_child():
    rows = [var("p", "Node *", "0x5550", [var("value", "Node", "", NODE)])]
    assert (await value("p", FakeAdapter(rows, paths=False))).text == "0x5550 -> {id=2, next=null}"


async def test_a_pointer_whose_type_gdb_does_not_tell_is_followed_too():
    rows = [var("p", "", "0x5550", [var("value", "", "", NODE)])]
    found = await value("p", FakeAdapter(rows, paths=False))
    assert (found.kind, found.text) == ("pointer", "0x5550 -> {id=2, next=null}")


async def test_gdb_s_map_lists_keys_and_values_in_turn():
    pair = [var("[0]", "int", "1"), var("[1]", "int", "7")]
    rows = [var("m", "std::map<int, int>", "std::map with 1 element", pair, namedVariables=2)]
    assert (await value("m", FakeAdapter(rows, paths=False))).text == "{1: 7}"


async def test_a_long_text_is_cut_and_says_so():
    found = await value("long", FakeAdapter([var("long", "const char *", '"' + "x" * 500 + '"')]), max_text=50)
    assert len(found.text) == 50 and found.truncated


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (["o", "+", name("x"), ["c", 1]], "42"),
        (["a", name("p"), "id"], "2"),
        (["a", name("first"), "id"], "2"),
        (["s", name("a"), ["c", 2]], "2"),
        (["u", "*", name("a")], "0"),
        (["s", name("stock"), ["c", 1]], "7"),
        (["cmp", name("none"), [["==", ["c", None]]]], "true"),
        (["cmp", name("color"), [["==", name("GREEN")]]], "true"),
        (["cmp", name("color"), [["!=", name("RED")]]], "true"),
        (["u", "!", name("p")], "false"),
        (["and", [name("none"), ["a", name("none"), "id"]]], "false"),
        (["if", name("p"), ["c", 1], ["c", 2]], "1"),
        (["cast", "long", name("p")], "21840"),
    ],
)
async def test_an_expression_has_the_program_s_value(node: Node, text: str):
    found = await fact(node)
    assert found.value and found.value.text == text


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (["a", name("none"), "id"], "null dereference of none"),
        (["a", ["a", name("p"), "next"], "id"], "null dereference of p->next"),
        (["a", name("wild"), "id"], "0x10 is not readable"),
        (["s", name("a"), ["c", 3]], "index 3 outside of int[3]"),
        (["s", name("big"), ["c", 10_000]], "index 10000 outside of the 10000 items of big"),
        (["o", "/", name("x"), ["c", 0]], "division by zero"),
    ],
)
async def test_what_would_fail_is_told_as_the_program_would_meet_it(node: Node, text: str):
    found = await fact(node)
    assert (found.error, found.text) == ("raised", text)


@pytest.mark.parametrize(
    "node",
    [
        ["o", "+", name("price"), name("price")],
        ["u", "-", name("price")],
        ["u", "*", name("price")],
        ["s", name("price"), ["c", 0]],
        ["u", "!", name("price")],
        ["cast", "Money", name("x")],
        ["s", name("stock"), ["c", 2]],
        ["call", name("f"), [], {}],
        ["comp", "list", name("x"), []],
        ["n", "x = 5"],
        ["n", "f()"],
        ["n", '$_shell("id")'],
        ["n", "a@10"],
        ["n", "`kill"],
        ["n", "operator"],
        ["n", ["n", "x"]],
        ["a", name("first"), "id = 5"],
        ["a", name("first"), "id; x"],
        ["zz"],
        [],
        ["o", "+"],
        ["c", {}],
        ["n", "x" * 10_000],
    ],
)
async def test_what_would_call_or_is_no_expression_is_refused_and_sends_nothing(node: Node):
    adapter = FakeAdapter(ROWS)
    found = (await visited(adapter, node)).frames[0].values[0]
    assert found.error == "refused" and found.text
    sent = [arguments["expression"] for command, arguments in adapter.sent if command == "evaluate"]
    assert [text for text in sent if not text.replace(".", "").replace("->", "").isalnum()] == []


async def test_a_name_that_is_nowhere_is_missing():
    assert (await fact(name("nowhere"))).error == "missing"


async def test_a_global_is_read_by_a_hover_in_its_frame_once():
    adapter = FakeAdapter(ROWS, {"counter": var("", "int", "9")})
    values = (await visited(adapter, name("counter"), ["o", "+", name("counter"), ["c", 1]])).frames[0].values
    assert [each.value.text for each in values if each.value] == ["9", "10"]
    hovers = [arguments for command, arguments in adapter.sent if command == "evaluate"]
    assert hovers == [{"expression": "counter", "frameId": 7, "context": "hover"}]


async def test_without_hovers_nothing_is_evaluated():
    adapter = FakeAdapter(ROWS, {"counter": var("", "int", "9")})
    await visited(adapter, name("counter"), ["a", name("p"), "id"], hovers=False)
    assert "evaluate" not in [command for command, _ in adapter.sent]


async def test_a_node_too_deep_to_be_read_is_refused():
    node = name("x")
    for _ in range(2_000):
        node = ["u", "-", node]
    assert (await fact(node)).error == "refused"


async def test_many_variables_are_counted_and_the_requests_bounded():
    rows = [var(f"v{n}", "Node", "Node", NODE) for n in range(300)]
    adapter = FakeAdapter(rows)
    reply = await visited(adapter, max_variables=200)
    assert len(reply.frames[0].locals) == 200 and reply.frames[0].hidden_variables == 100
    assert len(adapter.sent) <= MAX_REQUESTS and reply.truncated


async def test_the_whole_reply_is_bounded():
    rows = [var(f"v{n}", "const char *", '"' + "x" * 100 + '"') for n in range(50)]
    frame = (await visited(FakeAdapter(rows), max_bytes=1_000)).frames[0]
    assert len(frame.locals) < 12 and frame.hidden_variables > 30


async def test_a_program_that_runs_again_ends_the_visit():
    async def request(command: str, arguments: Any) -> dict[str, Any]:
        raise NotStopped(command)

    with pytest.raises(NotStopped):
        await NativeInspector(hovers=True).inspect(request, Query([FrameQuery(frame_id=1)]))


async def test_of_two_variables_with_one_name_the_innermost_is_shown():
    lldb = [var("n @ a.c:3", "int", "1"), var("n @ a.c:5", "int", "2")]
    gdb = [var("n", "int", "2"), var("n #2", "int", "1")]
    assert (await value("n", FakeAdapter(lldb))).text == "2"
    assert (await value("n", FakeAdapter(gdb, paths=False))).text == "2"


async def test_a_reference_that_is_no_number_is_no_address():
    adapter = FakeAdapter([var("x", "int", "41", memoryReference="frame:7/x")])
    assert (await value("x", adapter)).text == "41"


async def test_a_stop_that_ends_while_the_program_is_sought_leaves_it_to_the_next(tmp_path: Path):
    program = tmp_path / "program"
    program.write_bytes(elf_files.elf({}))
    adapter, inspector = FakeAdapter(ROWS), NativeInspector(hovers=True)
    runs = True

    async def request(command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if command == "stackTrace":
            return {"stackFrames": [{"id": 7, "name": "main", "line": 3}]}
        if command == "modules" and runs:
            raise NotStopped(command)
        return (
            {"modules": [{"path": str(program)}]} if command == "modules" else await adapter.request(command, arguments)
        )

    query = Query([FrameQuery(7)], thread_id=1, threads=False, deadline_ms=60_000)
    with pytest.raises(NotStopped):
        await inspector.inspect(request, query)
    runs = False

    assert (await inspector.inspect(request, query)).binary is not None


async def test_a_long_double_is_not_made_of_half_of_its_bytes():
    row = var("p", "long double *", "0x0000000000005550", [])
    adapter = FakeAdapter([row])
    found = (await visited(adapter, ["u", "*", name("p")], hovers=False)).frames[0].values[0]
    assert found.error == "missing"
    assert "long double" in found.text


async def test_a_smart_pointer_in_which_lldb_lists_nothing_is_read_from_memory():
    owner = var("owner", "std::unique_ptr<Node>", "std::unique_ptr<Node>", [], memoryReference="0x7000")
    adapter = FakeAdapter([owner], memory={"0x7000": (0x5550).to_bytes(8, "little")})
    assert (await value("owner", adapter)).text == "0x5550"
    nothing = FakeAdapter([owner], memory={"0x7000": bytes(8)})
    assert (await value("owner", nothing)).note == "null"


async def test_a_smart_pointer_that_nobody_tells_is_not_null():
    owner = var("owner", "std::unique_ptr<Node>", "std::unique_ptr<Node>", [])
    found = await value("owner", FakeAdapter([owner]))
    assert (found.text, found.note) == ("{...}", "")
    assert (await visited(FakeAdapter([owner]), ["u", "*", name("owner")])).frames[0].values[0].error == "missing"


@pytest.mark.parametrize(
    ("parts", "text"), [([var("base", "Base", "Base")], "nullopt"), ([], "<the debugger does not tell")]
)
async def test_an_optional_is_empty_only_if_lldb_knows_its_parts(parts: list[Row], text: str):
    adapter = FakeAdapter(
        [var("maybe", "std::optional<int>", " Has Value=false ", [])],
        {"maybe._M_payload": var("maybe._M_payload", "Payload", "Payload", parts)},
    )
    assert (await value("maybe", adapter)).text.startswith(text)


async def test_a_standard_container_that_is_shown_as_its_parts_is_the_one_that_it_keeps():
    items = [var(f"[{n}]", "int", str(n + 7)) for n in range(3)]
    row = var(
        "row", "std::array<int, 3>", "std::array<int, 3>", [var("_M_elems", "int[3]", "", items, indexedVariables=3)]
    )
    adapter = FakeAdapter([row])
    found = await value("row", adapter)
    assert (found.text, found.kind, found.length) == ("[7, 8, 9]", "list", 3)
    facts = (await visited(adapter, ["s", name("row"), ["c", 1]], ["s", name("row"), ["c", 3]])).frames[0].values
    assert facts[0].value and facts[0].value.text == "8"
    assert facts[1].text == "index 3 outside of the 3 items of row"


async def test_a_container_that_the_debugger_does_not_know_is_not_empty():
    parts = [var("root", "Root", "Root", []), var("length", "unsigned long", "2")]
    tree = var("tree", "alloc::collections::btree::map::BTreeMap<i32, i32>", "Tree", parts)
    found = await value("tree", FakeAdapter([tree]))
    assert (found.text, found.length, found.truncated) == ("{... 2 more}", 2, True)


async def test_a_reference_to_a_text_of_rust_is_that_text_and_not_its_bytes():
    listed = [var("[0]", "unsigned char", "'h'"), var("[1]", "unsigned char", "'i'")]
    word = var("word", "&str *", "0x0000000000005550", listed, indexedVariables=2)
    assert (await value("word", FakeAdapter([word], {"*word": var("*word", "&str", '"hi"')}))).text == '0x5550 -> "hi"'
    assert (await value("word", FakeAdapter([word]), max_fields=5)).text == '0x5550 -> "hi"'


async def test_a_typedef_of_a_pointer_is_a_pointer():
    assert (await value("place", FakeAdapter([var("place", "Place", "0x0000000000005550", NODE)]))).kind == "pointer"
    null = await value("place", FakeAdapter([var("place", "Place", ZERO, [var("id", "int", "<error: null>")])]))
    assert (null.text, null.note) == ("null", "null")


async def test_gdb_s_pair_is_its_two_values():
    pair = var("pair", "std::pair<int, int>", "None", [var("first", "int", "1"), var("second", "int", "2")])
    assert (await value("pair", FakeAdapter([pair], paths=False))).text == "{first=1, second=2}"


async def test_a_null_pointer_to_a_function_is_null():
    found = await value("call", FakeAdapter([var("call", "int (*)(int)", ZERO)]))
    assert (found.text, found.kind, found.note) == ("null", "function", "null")


@pytest.mark.parametrize("type_", ["Hollow &", "const Hollow &", "Hollow &&", "(unnamed struct) &", "std::monostate &"])
async def test_a_reference_to_a_class_without_members_is_empty_braces(type_: str):
    found = await value("it", FakeAdapter([var("it", type_, "0x0000000000005550", [])]))
    assert (found.text, found.kind, found.address) == ("{}", "reference", 0x5550)
    fact = (await visited(FakeAdapter([var("it", type_, "0x0000000000005550", [])]), name("it"))).frames[0].values[0]
    assert fact.value and fact.value.text == "{}"


async def test_a_reference_that_is_null_says_so():
    found = await value("it", FakeAdapter([var("it", "Hollow &", ZERO, [])]))
    assert (found.text, found.note) == ("null", "null")

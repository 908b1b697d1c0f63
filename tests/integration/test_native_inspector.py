"""The native inspector against real adapters: values of C++ and Rust, what a crash shows, how much is asked."""

from __future__ import annotations

import collections
import functools
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from dap_ai.agent.source.syntax import node_of
from dap_ai.debuggees.native.reading.adapter_reader import MAX_REQUESTS
from dap_ai.protocol.contracts.inspection import FrameFacts, FrameQuery, Query, Value
from tests.integration import native
from tests.integration.native_session import ADAPTERS, Session, marked, stopped

pytestmark = pytest.mark.anyio

SHOWN = {
    "none": ("null", "null"),
    "row": ("[1, 2, 3]", ""),
    "grid": ("[[1, 2], [3, 4]]", ""),
    "buffer": ('"abc"', ""),
    "small": ("-1", ""),
    "byte": ("200", ""),
    "text": ('"some text"', ""),
    "empty": ("[]", ""),
    "queue": ("[1, 2]", ""),
    "chain": ("[3, 4]", ""),
    "numbers": ("{5, 6}", ""),
    "stock": ('{"apple": 1, "pear": 2}', ""),
    "lookup": ("{7: 70}", ""),
    "some": ("5", ""),
    "nothing": ("nullopt", ""),
    "nobody": ("null", "null"),
    "first": None,
    "huge": ("[10022, 0, 0, ... 99997 more]", ""),
    "many": ("[1, 1, 1, ... 9997 more]", ""),
}
ENDS = {
    "owner": "-> {id=2, next=null}",
    "shared": "-> {id=2, next=null}",
    "number": "-> 12",
    "behind": "-> []",
    "mode": "On",
}
KINDS = {
    "label": '"tag"', "blank": '""', "rule": '"' + 79 * "-" + '"', "table": '["ab", "cd"]', "told": '"with 126 apples"',
    "quoted": r'"say \"hi\""', "fixed": "[7, 8, 9]", "stack": "[1, 2]", "queue": "[3]",
    "pair": '{first=1, second="one"}', "pairs": '[{first="k", second=1}]', "no_call": "null", "nowhere": "null",
    "never": "nullopt", "nothing": "null", "euro": "'€'", "bits": "{a=5, b=-3, c=true}", "unsigned_byte": "200",
    "grid": "{1: [1, 2]}", "hollow": "{}", "opaque": "{}", "lambda": "{}", "lost": "null",
}  # fmt: skip
LENGTHS = {"line": 80, "split": 4, "label": 3, "told": 15, "accents": 5, "large": 300, "fixed": 3, "ids": 1}
POINTERS = ("owner", "text", "place", "behind", "call")
"""They lead somewhere, and say so."""
UNTOLD = {"maybe": ('"text"', "<the debugger does not tell whether it holds a value>"), "second": ("2", "{item=2}")}
"""What not every adapter tells."""
KINDS_IN_RUST = {
    "text": '"owned"', "quoted": r'"say \"hi\"\n"', "boxed_text": '"boxed"', "small": "-5", "euro": "'€'", "unit": "()",
    "stock": '{"pear": 1}', "queue": "[1, 2]", "part": "[2]", "words": '["cat", "horse"]',
}  # fmt: skip
ENDS_IN_RUST = {"to_str": '-> "cat"', "to_text": '-> "owned"', "to_prices": "-> [1, 2]", "to_triple": "-> [1, 2, 3]"}
RUST_VALUES = [
    ("prices[1]", "2"), ("self.total", "5"), ("self.items[0].id", "1"), ("self.items[0].name", '"pear"'), ("*boxed", "7"),
    ("slice[0]", "2"), ("pair.0", "1"), ("index - more", "7"), ("word", '"short"'), ("many[9999]", "3"), ("small as i32 + 100", "300"),
    ("item.id + 1", "2"), ("some", "Some(5)"), ("none", "None"),
]  # fmt: skip
RUST_ERRORS = [
    ("prices[index]", "index out of bounds: the len is 3 but the index is 10"),
    ("more - 4", "attempt to subtract with overflow"),
    ("small + 100", "attempt to add with overflow"),
    ("index / (more - 3)", "attempt to divide by zero"),
]


def variables(frame: FrameFacts) -> dict[str, Value]:
    return {each.name: each.value for each in [*frame.arguments, *frame.locals]}


async def some(session: Session, *names: str) -> dict[str, Value]:
    """These variables, with three items of each container."""
    asked = FrameQuery(frame_id=session.frame_id, variables=False, names=list(names))
    query = Query(
        [asked], exception=False, threads=False, max_items=3, deadline_ms=20_000, thread_id=session.stop["threadId"]
    )
    return variables((await session.inspector.inspect(session.request, query)).frames[0])


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """`built("kinds.cpp")`: the program, compiled once."""
    folder = tmp_path_factory.mktemp("inspector")
    return functools.cache(lambda name: native.build(native.SOURCES / name, folder, name.replace(".", "_")))


def at(adapter: str, built: Callable[[str], Path], name: str, mark: str) -> AbstractAsyncContextManager[Session]:
    source = native.SOURCES / name
    return stopped(adapter, built(name), source, marked(source, mark))


@pytest.fixture(scope="module", params=ADAPTERS)
async def at_crash(request: pytest.FixtureRequest, built: Callable[[str], Path]) -> AsyncIterator[Session]:
    """One stop of each adapter, which nothing changes."""
    async with at(request.param, built, "values.cpp", "crash") as session:
        yield session


@pytest.fixture(scope="module", params=ADAPTERS)
async def at_kinds(request: pytest.FixtureRequest, built: Callable[[str], Path]) -> AsyncIterator[Session]:
    async with at(request.param, built, "kinds.cpp", "kinds") as session:
        yield session


def anew(stopped: Session) -> Session:
    """The same stop, of which nothing is known yet."""
    return Session(stopped.client, stopped.stop, stopped.frames)


@pytest.fixture
def crashing(at_crash: Session) -> Session:
    return anew(at_crash)


@pytest.fixture
def kinds(at_kinds: Session) -> Session:
    return anew(at_kinds)


async def test_values_of_all_kinds_read_as_a_programmer_writes_them(crashing: Session, request: pytest.FixtureRequest):
    adapter = adapter_of(request)
    if adapter == "gdb":
        await need_printers(crashing)
    for name, wanted in SHOWN.items():
        value = (await some(crashing, name))[name]
        hidden = (adapter, name) == ("lldb-dap 19", "lookup")  # it says itself that this is empty
        assert wanted is None or (value.text, value.note) == (("{... 1 more}", "") if hidden else wanted), name
    for name, text in ENDS.items():
        assert (await some(crashing, name))[name].text.endswith(text), name


def adapter_of(request: pytest.FixtureRequest) -> str:
    """Whose stop the test looks at."""
    params = request.node.callspec.params
    return params.get("at_crash") or params["at_kinds"]


async def test_no_kind_of_value_reads_as_what_it_is_not(kinds: Session, request: pytest.FixtureRequest):
    if adapter_of(request) == "gdb":
        await need_printers(kinds, "quoted", KINDS["quoted"])
    values = {name: (await some(kinds, name))[name] for name in [*KINDS, *LENGTHS, *UNTOLD, *POINTERS]}
    assert {name: values[name].text for name in KINDS} == KINDS
    assert {name: values[name].length for name in LENGTHS} == LENGTHS
    assert [name for name in POINTERS if not values[name].text.startswith("0x")] == []
    assert {values[name].kind for name in ("place", "nowhere", "behind")} == {"pointer"}
    assert {name: values[name].text for name in UNTOLD if values[name].text not in UNTOLD[name]} == {}


@pytest.mark.parametrize("adapter", ["lldb-dap 23", "gdb"])
async def test_no_kind_of_value_in_rust_reads_as_what_it_is_not(adapter: str, built: Callable[[str], Path]):
    async with at(adapter, built, "kinds.rs", "kinds") as session:
        names = [*KINDS_IN_RUST, *ENDS_IN_RUST, "ordered", "to_to_text"]
        values = {name: (await some(session, name))[name] for name in names}
    assert {name: values[name].text for name in KINDS_IN_RUST} == KINDS_IN_RUST
    assert {n: values[n].text for n, end in ENDS_IN_RUST.items() if not values[n].text.endswith(end)} == {}
    assert values["ordered"].length == 2
    assert not values["to_to_text"].text.endswith("-> ")


@pytest.mark.parametrize("adapter", ["lldb-dap 23", "gdb"])
async def test_the_reference_to_a_reference_of_a_loop_is_a_text(adapter: str, built: Callable[[str], Path]):
    async with at(adapter, built, "kinds.rs", "word") as session:
        word = (await some(session, "word"))["word"]
    assert word.text.endswith('-> "cat"')


async def test_what_a_smart_pointer_holds_is_found_where_lldb_lists_nothing(kinds: Session):
    """Of a second class of unique_ptr, lldb-dap 23 may list nothing, and must not be taken for null."""
    for text in ("*owner", "*text", "fixed[1]"):
        fact = (await kinds.facts(node_of(text, "cpp")))[0]
        assert fact.error != "raised", text
    outside = (await kinds.facts(node_of("fixed[3]", "cpp")))[0]
    assert (outside.error, outside.text) == ("raised", "index 3 outside of the 3 items of fixed")


async def test_a_reference_to_a_unique_ptr_shows_where_that_one_points(kinds: Session):
    """lldb-dap gives the reference's own address, and may list nothing below it."""
    values = [(await some(kinds, name))[name] for name in ("made", "hollow_owner")]
    made, hollow_owner = (value.text.partition(" -> ")[0] for value in values)
    assert made == hollow_owner == f"{values[0].address:#x}"


async def need_printers(session: Session, name: str = "text", wanted: str = '"some text"') -> None:
    if (await some(session, name))[name].text != wanted:
        pytest.skip("no scripts of the C++ library for gdb here: its types are raw")


async def test_a_pointer_is_followed_one_level_and_knows_where_it_leads(crashing: Session):
    order = (await some(crashing, "order"))["order"]
    assert order.kind == "pointer" and order.text.startswith(f"{order.address:#x} -> {{")
    fields = {each.name: each.text for each in order.fields or []}
    assert (fields["id"], fields["total"], fields["customer"]) == ("4", "9.5", '"Ann"')
    assert fields["first"].startswith("0x") and "->" not in fields["first"]
    wild = (await some(crashing, "wild"))["wild"]
    assert (wild.text, wild.address, wild.note) == ("0x10", 0x10, "not readable")


async def test_of_containers_with_thousands_of_items_no_more_is_asked_than_is_shown(crashing: Session):
    await some(crashing, "many", "huge")
    listed = [arguments for command, arguments in crashing.sent if command == "variables"]
    assert all(arguments.get("count", 0) <= 60 for arguments in listed)
    assert len(crashing.sent) < 15


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_crash_is_told_with_all_frames_in_a_bounded_number_of_requests(
    adapter: str, built: Callable[[str], Path]
):
    async with stopped(adapter, built("values.cpp")) as session:
        frames = [FrameQuery(frame_id=frame["id"]) for frame in session.frames[:8]]
        frames[0].expressions = [node_of(text, "cpp") for text in ("none->id", "order->first->id", "many[3]")]
        said = str(session.stop.get("description", ""))
        query = Query(frames, thread_id=session.stop["threadId"], deadline_ms=20_000, stopped=said)
        reply = await session.inspector.inspect(session.request, query)
    facts = reply.frames[0].values
    assert reply.kind == "native" and [frame.error for frame in reply.frames] == [""] * len(frames)
    assert (facts[0].error, facts[0].text) == ("raised", "null dereference of none")
    assert [fact.value.text for fact in facts[1:] if fact.value] == ["7", "1"]
    assert reply.fault and reply.fault.signal == "SIGSEGV" and reply.exceptions[0].type == "SIGSEGV"
    assert reply.threads and reply.binary and reply.binary.debug_info
    counted = collections.Counter(command for command, _ in session.sent)
    assert counted["variables"] + counted["evaluate"] + counted["scopes"] <= MAX_REQUESTS + 20


@pytest.mark.parametrize("adapter", ["lldb-dap 23", "gdb"])
async def test_rust_s_values_and_the_index_that_panics(adapter: str, built: Callable[[str], Path]):
    async with at(adapter, built, "values.rs", "panic") as session:
        wrong: list[str] = []
        for text, wanted in [*RUST_VALUES, *RUST_ERRORS]:
            fact = (await session.facts(node_of(text, "rust")))[0]
            got = fact.value.text if fact.value else fact.text
            if got != wanted:
                wrong.append(f"{text}: {wanted}, but {got}")
        assert wrong == []

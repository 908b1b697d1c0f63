"""Native programs: whatever an expression says, the stopped program is afterwards as it was."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.agent.source.syntax import node_of
from dap_ai.debuggees.native.reading.adapter_variables import MAX_PATH
from dap_ai.protocol.contracts.inspection import ExpressionResult, Node
from dap_ai.protocol.wire.errors import RequestFailed
from tests.integration import native
from tests.integration.native_launch import WAIT_S
from tests.integration.native_session import ADAPTERS, Session, marked, stopped
from tests.safety.native_corpus import CALLS, DEBUGGERS, HARMLESS, HOSTILE, RAISING, RUST, WRITES

pytestmark = pytest.mark.anyio
STACK_BYTES = 2048
PATH = re.compile(r"[*&]{0,3}(?:\(long\))?(?:::)?\w+(?:::\w+)*(?:(?:\.|->)\w+|\[-?\d+\])*")
READS = {"stackTrace", "scopes", "variables", "evaluate", "readMemory"}


def nodes_of(text: str, language: str) -> list[Node]:
    """The text where a Node holds text, and the Node that it is."""
    raw: list[Node] = [
        ["n", text],
        ["a", ["n", "order"], text],
        ["cast", text, ["n", "x"]],
        ["s", ["n", "a"], ["n", text]],
    ]
    try:
        return [*raw, node_of(text, language)]
    except SyntaxRefused:
        return raw


async def state_of(session: Session, program: Path) -> dict[str, Any]:
    """Everything that an entry could change: globals, stack, registers, threads, files, the place it stands at."""
    request = session.client.request
    frame = {"frameId": session.frame_id}

    async def shown(path: str) -> str:
        return (await request("evaluate", frame | {"expression": path, "context": "hover"}, WAIT_S))["result"]

    async def memory(path: str, size: int) -> str:
        address = re.search(r"0x[0-9a-f]+", found := await shown(path))
        assert address, found
        return (await request("readMemory", {"memoryReference": address[0], "count": size}, WAIT_S))["data"]

    async def registers() -> list[tuple[str, str]]:
        scopes = (await request("scopes", frame, WAIT_S))["scopes"]
        return await _general(
            session, next(scope["variablesReference"] for scope in scopes if scope["name"] == "Registers")
        )

    async def stack() -> list[Any]:
        frames = (await request("stackTrace", {"threadId": session.stop["threadId"]}, WAIT_S))["stackFrames"]
        return [(each["id"], each["name"], each["line"], each["instructionPointerReference"]) for each in frames]

    reads: dict[str, Awaitable[Any]] = {"threads": request("threads", {}, WAIT_S), "stack": stack()}
    reads |= {path: shown(path) for path in ("x", "counter", "table[0]", "a[1]", "color")}
    if session.client.capabilities.get("supportsReadMemoryRequest"):
        places = {"&x": STACK_BYTES, "&counter": 4, "&table": 16}
        reads |= {f"memory of {path}": memory(path, size) for path, size in places.items()}
    reads["registers"] = registers()
    state = dict(zip(reads, await asyncio.gather(*reads.values()), strict=True))
    return state | {"files": sorted(path.name for path in program.parent.iterdir())}


async def _general(session: Session, reference: int) -> list[tuple[str, str]]:
    rows = (await session.client.request("variables", {"variablesReference": reference}, WAIT_S))["variables"]
    if any("General Purpose" in row["name"] for row in rows):
        return await _general(session, rows[0]["variablesReference"])
    return [(row["name"], row["value"]) for row in rows if not row["variablesReference"]]


def program_of(name: str, folder: Path) -> tuple[Path, Path, int]:
    source = native.SOURCES / name
    return native.build(source, folder), source, marked(source, "stop")


async def harm(session: Session, program: Path, texts: list[str], language: str) -> list[str]:
    """What the entries changed, and what was sent or answered that should not have been."""
    before = await state_of(session, program)
    found: list[str] = []
    for text in texts:
        session.sent.clear()
        facts = await session.facts(*nodes_of(text, language))
        wrong = [
            (command, arguments)
            for command, arguments in session.sent
            if command not in READS or (command == "evaluate" and not harmless_to_send(arguments))
        ]
        accepted = [fact for fact in facts[:4] if not fact.error and not re.fullmatch(r"[\w:]+", text)]
        after = await state_of(session, program)
        changed = [key for key, value in after.items() if value != before[key]]
        if wrong or accepted or changed:
            found.append(f"{text[:80]!r}: sent {wrong}, accepted {accepted}, changed {changed}")
    return found


async def answered(session: Session, text: str) -> ExpressionResult:
    """What the whole chain says to it, from its text on."""
    try:
        return (await session.facts(node_of(text, "cpp")))[0]
    except SyntaxRefused as error:
        return ExpressionResult(error="refused", text=str(error))


def harmless_to_send(arguments: Any) -> bool:
    text = arguments["expression"]
    in_frame = arguments["context"] == "hover" and isinstance(arguments["frameId"], int)
    return in_frame and len(text) <= MAX_PATH and bool(PATH.fullmatch(text))


def test_the_corpus_has_its_size_and_no_entry_twice():
    assert len(HOSTILE) >= 200 and len(set(HOSTILE)) == len(HOSTILE)
    assert len(HARMLESS) >= 40 and len(RUST) >= 20


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Subject:
    """A stopped program, and what an adapter is asked of a list of texts."""

    session: Session
    program: Path
    adapter: str

    async def harm(self, texts: list[str], language: str) -> list[str]:
        """Of an old lldb-dap a third: what it is sent is made by the code that a new one is sent all by."""
        return await harm(self.session, self.program, texts[:: 3 if self.adapter == "lldb-dap 19" else 1], language)


@pytest.fixture(scope="module", params=ADAPTERS)
async def cpp(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Subject]:
    """One stop of a C++ program under each adapter, which nothing may change."""
    program, source, line = program_of("hostile.cpp", tmp_path_factory.mktemp("native"))
    async with stopped(request.param, program, source, line) as session:
        yield Subject(session, program, request.param)


async def test_harmless_expressions_have_the_values_that_the_program_would_compute(cpp: Subject):
    wrong: list[str] = []
    for text, value in HARMLESS:
        fact = await answered(cpp.session, text)
        if fact.value is None or fact.value.text != value:
            wrong.append(f"{text} = {value}, but {fact.value.text if fact.value else fact.text}")
    assert len(wrong) <= len(HARMLESS) // 10, wrong


async def test_what_would_fail_in_the_program_is_said_and_not_done(cpp: Subject):
    for text, error in RAISING:
        fact = await answered(cpp.session, text)
        assert (fact.error, error in fact.text) == ("raised", True), (text, fact)


async def test_no_hostile_text_changes_anything_in_a_cpp_program(cpp: Subject):
    assert await cpp.harm(HOSTILE, "cpp") == []


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_no_hostile_text_changes_anything_in_a_c_program(adapter: str, tmp_path: Path):
    program, source, line = program_of("hostile.c", tmp_path)
    async with stopped(adapter, program, source, line) as session:
        assert await Subject(session, program, adapter).harm([*CALLS, *WRITES, *DEBUGGERS], "c") == []


@pytest.mark.parametrize("text", RUST)
def test_rust_that_would_run_code_is_refused_before_anything_is_sent(text: str):
    with pytest.raises(SyntaxRefused):
        node_of(text, "rust")


@pytest.mark.parametrize("adapter", ["lldb-dap 19", "lldb-dap 23", "gdb"])
async def test_each_call_of_the_corpus_s_program_leaves_a_trace(adapter: str, tmp_path: Path):
    """The comparison above can see harm: here it is done, by a watch, which may call."""
    program, source, line = program_of("hostile.c", tmp_path)
    async with stopped(adapter, program, source, line) as session:
        before = await state_of(session, program)
        arguments = {"expression": "trace(1)", "frameId": session.frame_id, "context": "watch"}
        try:
            await session.client.request("evaluate", arguments, WAIT_S)
        except (RequestFailed, asyncio.TimeoutError):
            pytest.skip("this adapter calls nothing in a watch")
        await session.client.request("stackTrace", {"threadId": session.stop["threadId"]}, WAIT_S)
        assert await state_of(session, program) != before
        assert (program.parent / "hostile.trace").exists()

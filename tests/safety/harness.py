"""Runs the corpus through a way of evaluating, inside a real session: real proxy, real debugpy, real program.

After each case it asks the program for its state, and the session for its threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import pytest

from dap_ai.agent.sanitize import SyntaxRefused, to_node
from dap_ai.debuggees.python.injection.inspector import Inspector
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameQuery, Query, Value
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.system.load_limits import slack
from tests.integration.inspector_client import snapshot
from tests.integration.live import Live, live
from tests.safety.cases import SECRET, Case, Group, write_scene

DEBUGGEE = Path(__file__).with_name("debuggee.py")
DEADLINE_S = 3.0
HANG_DEADLINE_S = 0.25
"""For a case that cannot end by itself."""


class Finding(NamedTuple):
    """What came of one case."""

    case: Case
    fact: ExpressionResult
    changed: str
    """What the program's state says has changed; empty if nothing has."""
    took_s: float
    """How long the answer took."""
    threads_s: float
    """How long `threads` took to answer afterwards, in seconds of an idle machine."""
    real: Value | None = None
    """For a harmless case: the value that the program itself computes."""

    @property
    def answered(self) -> bool:
        """Whether there is a value."""
        return self.fact.value is not None

    @property
    def right(self) -> bool:
        """Whether the value is the real one, as far as a value is told."""
        return self.answered and self.real is not None and told(self.fact.value) == told(self.real)

    @property
    def leaked(self) -> bool:
        """Whether the private file's content is in the answer."""
        return SECRET in repr(msgspec.to_builtins(self.fact))


def told(value: Value | None) -> Any:
    """A value without identities, and without what a copy alone tells of an iterator: it may advance it."""
    if value is None:
        return None
    plain = msgspec.to_builtins(value)
    if plain.get("kind") == "iterator":
        plain.pop("note", None)
    plain.pop("address", None)
    for field in plain.get("fields", ()):
        field.pop("address", None)
    return plain


class Way(Protocol):
    """A way of evaluating an expression at a stop."""

    async def evaluate(self, scene: Scene, case: Case) -> ExpressionResult:
        """The value, or why there is none."""
        ...


class AllowList:
    """By the inspector, which decides each operation."""

    def __init__(self) -> None:
        self._inspector = Inspector()

    async def evaluate(self, scene: Scene, case: Case) -> ExpressionResult:
        """As the agent does it: text to Node, Node to the inspector."""
        try:
            node = to_node(case.expression)
        except SyntaxRefused as refusal:
            return ExpressionResult(error="refused", text=f"refused: {refusal}")
        return await self.fact(scene, node)

    async def fact(self, scene: Scene, node: Any) -> ExpressionResult:
        """The inspector's answer to a Node."""
        frame = FrameQuery(frame_id=scene.frame_id, variables=False, expressions=[node])
        query = Query(frames=[frame], level="compute", exception=False, threads=False)
        inspection = await self._inspector.inspect(scene.session.request, query)
        return inspection.frames[0].values[0]


class Snapshot:
    """In a copy of the process."""

    async def evaluate(self, scene: Scene, case: Case) -> ExpressionResult:
        """The copy's answer as a Fact; a failure says why in its text."""
        deadline_s = HANG_DEADLINE_S if case.effect == "hangs" else DEADLINE_S
        request = scene.session.request
        try:
            query = SnapshotQuery(scene.frame_id, case.expression, deadline_s=deadline_s)
            result = await snapshot(request, query)
        except RequestFailed as failure:
            return ExpressionResult(error="refused", text=failure.user_text)
        if result.status == "ok":
            return ExpressionResult(value=result.value, text=result.printed)
        if result.status == "raised":
            return ExpressionResult(error="raised", text=f"{result.error} {result.printed}")
        return ExpressionResult(error="refused", text=result.status)


class Scene:
    """The stopped program and its session."""

    def __init__(self, session: Live, frame_id: int) -> None:
        self.session = session
        self.frame_id = frame_id
        self._inspector = AllowList()
        self._state = ""

    async def run(self, way: Way, case: Case) -> Finding:
        """One case, with what it left behind."""
        started = time.monotonic()
        fact = await way.evaluate(self, case)
        answered, before = time.monotonic(), slack()
        await self.session.request("threads")
        threads_s = (time.monotonic() - answered) / max(before, slack())
        changed = await self.changed()
        real = None
        if not case.effect:
            real = await self.real(case)
            assert not await self.changed(), f"{case.name} is not harmless"
        return Finding(case, fact, changed, answered - started, threads_s, real)

    async def settle(self, way: Way) -> None:
        """Lets the first look leave behind what it installs: our own modules, debugpy's caches."""
        await self._inspector.fact(self, ["c", 1])
        await way.evaluate(self, Case("", "1"))
        await self.changed()

    async def changed(self) -> str:
        """What differs in the program's state since the last call."""
        before, self._state = self._state, await self.state()
        if not before or before == self._state:
            return ""
        return await self.text_of("_differs()") or "?"

    async def state(self) -> str:
        """The program's own account of itself, and how much it has said to the client."""
        said = [m for m in self.session.to_client if m.get("event") == "output"]
        return f"{await self.text_of('_state()')};said={len(said)}"

    async def cases(self) -> set[str]:
        """Names of the cases whose modules this Python has."""
        names = await self.text_of("'\\n'.join(cases)")
        return set(names.encode().decode("unicode_escape").split("\n"))

    async def real(self, case: Case) -> Value | None:
        """The value that the program computes when it is really evaluated; None if that raises."""
        await self.text_of(f"_real.update(value=({case.expression})) or 'done'")
        fact = await self._inspector.fact(self, ["s", ["n", "_real"], ["c", "value"]])
        await self.text_of("_real.clear() or 'cleared'")
        return fact.value

    async def text_of(self, expression: str) -> str:
        """What debugpy itself says of an expression, really evaluated; a string without its quotes."""
        arguments = {"expression": expression, "frameId": self.frame_id, "context": "clipboard"}
        result = str((await self.session.request("evaluate", arguments))["result"])
        return result[1:-1] if result[:1] in {"'", '"'} else result


@contextlib.asynccontextmanager
async def scene_of(groups: Iterable[Group], python: Path) -> AsyncIterator[Scene]:
    """The program with these groups' objects, stopped; it and its session end afterwards."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        stop = write_scene(folder, groups)
        async with live() as session:
            launch = {
                "program": str(DEBUGGEE), "args": [str(folder)], "python": [str(python)], "console": "internalConsole",
                "env": {"PYTHONDONTWRITEBYTECODE": "1"},
            }  # fmt: skip
            await session.start("launch", launch, {stop: [1]})
            stopped = await session.stopped()
            assert stopped["reason"] == "breakpoint", stopped.get("text")
            scene = Scene(session, await session.top_frame(stopped["threadId"]))
            yield scene


async def run_corpus(way: Way, groups: Iterable[Group], python: Path) -> list[Finding]:
    """Each case in turn, in one stopped program; those whose modules are missing are left out."""
    groups = list(groups)
    async with scene_of(groups, python) as scene:
        await scene.settle(way)
        known = await scene.cases()
        return [await scene.run(way, case) for group in groups for case in group.cases if case.name in known]


def findings(way: Way, groups: Iterable[Group]) -> list[Finding]:
    """The same, under this Python."""
    return asyncio.run(run_corpus(way, groups, Path(sys.executable)))


def by_word(groups: Iterable[Group]) -> pytest.MarkDecorator:
    """One test for each group: `word`."""
    return pytest.mark.parametrize("word", [group.word for group in groups])

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from dap_ai.debuggees.python.injection.inspector import (
    SNAPSHOTS,
    Inspector,
    inspection_expression,
    install_expressions,
    open_expression,
)
from dap_ai.protocol.contracts.inspection import FrameQuery, Inspection, Query
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

pytestmark = pytest.mark.anyio
QUERY = Query(frames=[FrameQuery(frame_id=7)])
GOOD = "dap_ai:" + base64.b64encode(msgspec.json.encode(Inspection(frames=[], python="3.8.18"))).decode()


class Debugpy:
    """Answers each evaluate with the next of some results."""

    def __init__(self, *results: Any) -> None:
        self.results = list(results)
        self.seen: list[Mapping[str, Any]] = []

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        assert command == "evaluate"
        self.seen.append(arguments)
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return {"result": result}


async def test_an_installed_inspector_costs_one_request() -> None:
    debugpy = Debugpy(GOOD)

    inspection = await Inspector().inspect(debugpy.request, QUERY)

    assert (inspection.python, len(debugpy.seen)) == ("3.8.18", 1)


async def test_a_process_without_the_inspector_gets_it_and_is_asked_again() -> None:
    debugpy = Debugpy("", "dap_ai:", GOOD)

    await Inspector().inspect(debugpy.request, QUERY)

    visit = inspection_expression(QUERY)
    assert [each["expression"] for each in debugpy.seen] == [visit, install_expressions()[0], visit]


async def test_a_process_without_a_door_gets_one_first() -> None:
    debugpy = Debugpy("AttributeError: module 'pydevd' has no attribute 'dap_ai_0'", "None", "dap_ai:", GOOD)

    await Inspector().inspect(debugpy.request, QUERY)

    contexts = [(each["context"], each["expression"] == open_expression()) for each in debugpy.seen]
    assert contexts == [("clipboard", False), ("hover", True), ("clipboard", False), ("clipboard", False)]


async def test_another_version_of_python_gets_the_sources() -> None:
    debugpy = Debugpy("", "", "dap_ai:", GOOD)

    await Inspector().inspect(debugpy.request, QUERY)

    assert [each["expression"] for each in debugpy.seen[1:3]] == install_expressions()


async def test_every_request_names_a_frame() -> None:
    debugpy = Debugpy("", "dap_ai:", GOOD)

    await Inspector().inspect(debugpy.request, QUERY)

    assert {arguments["frameId"] for arguments in debugpy.seen} == {7}


@pytest.mark.parametrize(
    ("results", "text"),
    [
        (("x", "None", "dap_ai:", "Traceback ...\nRuntimeError: no way"), "could not be read: RuntimeError: no way"),
        (("x", "None", "RuntimeError: the program has replaced time.time"), "the program has replaced time.time"),
        (("", "", ""), "empty reply"),
        (("dap_ai:!MemoryError: ",), "failed inside the program: MemoryError"),
        (("dap_ai:e30=",), "was not understood"),
        (("dap_ai:abc",), "was not understood"),
    ],
)
async def test_a_reply_that_is_none_is_an_error_that_helps(results: tuple[str, ...], text: str) -> None:
    with pytest.raises(RequestFailed, match="inspect") as caught:
        await Inspector().inspect(Debugpy(*results).request, QUERY)

    assert text in caught.value.user_text


async def test_a_stop_that_is_over_is_said_so() -> None:
    with pytest.raises(NotStopped):
        await Inspector().inspect(Debugpy(NotStopped("evaluate")).request, QUERY)


async def test_a_query_without_frames_is_an_error() -> None:
    with pytest.raises(RequestFailed):
        await Inspector().inspect(Debugpy().request, Query(frames=[]))


@pytest.mark.parametrize(
    "expression",
    [open_expression(), *install_expressions(), *install_expressions(SNAPSHOTS), inspection_expression(QUERY)],
)
async def test_an_expression_holds_nothing_that_pydevd_rewrites(expression: str) -> None:
    assert "@LINE@" not in expression
    assert "\n" not in expression
    compile(expression, "<test>", "eval")

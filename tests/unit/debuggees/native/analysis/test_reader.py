"""What the Reader asks about a native stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.source.source_file import Sources
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameFacts, Inspection, Query, Value
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

pytestmark = pytest.mark.anyio
STOP = StopEvent(1, 1, None, "exception", "Signed integer overflow")
SAID = (Value('"signed-integer-overflow"', "const char *", "str"), Value('"2 + 1"', "char *", "str"))


class Debugger:
    """A native program that stands where UBSan reports; the visit to its frame gives `reply`, or fails."""

    can_inspect = True

    def __init__(self, reply: RequestFailed | tuple[Value, ...] = SAID) -> None:
        self._reply = reply
        self.sent: list[str] = []

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        del arguments
        self.sent.append(command)
        names = ("__ubsan::__ubsan_on_report()", "__ubsan::Diag::~Diag()", "main")
        return {"stackFrames": [{"id": n, "name": name, "line": 1} for n, name in enumerate(names, 1)]}

    async def inspect(self, query: Query) -> Inspection:
        if query.thread_id:
            return Inspection([], kind="native")
        if isinstance(self._reply, RequestFailed):
            raise self._reply
        assert [frame.frame_id for frame in query.frames] == [2]
        return Inspection(
            [FrameFacts(2, "", "", 0, values=[ExpressionResult(value) for value in self._reply])], kind="native"
        )

    def caught(self) -> None:
        return None

    def output_tail(self) -> list[tuple[str, str]]:
        return []

    def history(self) -> list[Any]:
        return []


def reader(debugger: Debugger) -> StopReader:
    return StopReader(debugger, Sources(), "observe")  # pyright: ignore[reportArgumentType]  all that it needs


async def test_a_stop_that_is_over_when_a_report_is_read_is_not_told_as_current():
    with pytest.raises(NotStopped):
        await reader(Debugger(NotStopped("inspect"))).read(STOP)


@pytest.mark.parametrize("reply", [RequestFailed("inspect", "timeout"), ()])
async def test_where_ubsans_words_cannot_be_read_the_debuggers_are_told(reply: Any):
    case = await reader(Debugger(reply)).read(STOP)
    assert case.report is not None
    assert (case.report.kind, case.report.message) == ("signed-integer-overflow", "Signed integer overflow")


async def test_ubsans_words_are_read_in_its_frame_and_nothing_else_is_asked():
    debugger = Debugger()
    case = await reader(debugger).read(STOP)
    assert case.report is not None
    assert (case.report.kind, case.report.message) == ("signed-integer-overflow", "2 + 1")
    assert debugger.sent == ["stackTrace"]

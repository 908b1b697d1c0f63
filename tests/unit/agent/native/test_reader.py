"""What the Reader makes of a native stop that ends while it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dap_ai.agent.reader import Reader
from dap_ai.agent.source import Sources
from dap_ai.protocol.asking import Stop
from dap_ai.protocol.errors import NotStopped, RequestFailed
from dap_ai.protocol.inspection import Inspection, Query

pytestmark = pytest.mark.anyio
STOP = Stop(1, 1, None, "exception")


class Debugger:
    """A native program at a stop; `exceptionInfo` fails as it is told to."""

    can_inspect = True

    def __init__(self, failure: RequestFailed) -> None:
        self._failure = failure

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        del arguments
        if command == "exceptionInfo":
            raise self._failure
        return {"stackFrames": [{"id": 1, "name": "main", "line": 1, "source": {"path": "/gone/a.c"}}]}

    async def inspect(self, query: Query) -> Inspection:
        del query
        return Inspection([], native=True)

    def output_tail(self) -> list[tuple[str, str]]:
        return []

    def history(self) -> list[Any]:
        return []


def reader(failure: RequestFailed) -> Reader:
    return Reader(Debugger(failure), Sources(), "observe")  # pyright: ignore[reportArgumentType]  all that it needs


async def test_a_stop_that_is_over_when_the_adapter_is_asked_for_a_report_is_not_told_as_current():
    with pytest.raises(NotStopped):
        await reader(NotStopped("exceptionInfo")).read(STOP)


async def test_an_adapter_that_knows_of_no_reports_is_no_failure():
    case = await reader(RequestFailed("exceptionInfo", "notSupported")).read(STOP)
    assert case.report is None

"""Answers say that the user set a value, and call no line its cause. Real adapters, real programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.report.wording import CAUSE, GUESS, NOT_COMPUTED
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.backends.lldb import LldbBackend
from dap_ai.settings.configuration import Settings
from tests.integration import native
from tests.integration.live import Live, live

pytestmark = pytest.mark.anyio


async def locals_of(session: Live) -> int:
    """The reference of the innermost frame's locals; the client reads them."""
    frame = await session.top_frame(session.thread_id)
    scopes = (await session.request("scopes", {"frameId": frame}))["scopes"]
    await session.request("variables", {"variablesReference": scopes[0]["variablesReference"]})
    return int(scopes[0]["variablesReference"])


async def stop(session: Live) -> None:
    session.thread_id = (await session.stopped())["threadId"]


async def go_on(session: Live) -> None:
    await session.request("continue", {"threadId": session.thread_id})
    await stop(session)


async def answer(session: Live, question: str = "") -> dict[str, Any]:
    await session.request("ask", {"question": question})
    return await session.event("askEnded")


async def test_the_program_is_not_blamed_for_a_value_that_the_user_set_then_or_at_a_later_failure(
    debuggee: Callable[..., Any], python_versions: dict[str, Path]
) -> None:
    program = debuggee("set_values")
    async with live(agent=SessionAgent(Settings())) as session:
        await session.launch(program.path, (program.lines["set"],), python=[str(python_versions["3.12"])])
        await stop(session)
        reference = await locals_of(session)
        edit = {"variablesReference": reference, "name": "factor", "value": "0"}
        await session.request("setVariable", edit)

        there = await answer(session, "why is factor 0?")
        assert there["answer"].startswith("`factor` is `0` because you set it at this stop; it was `2`.\n")
        assert NOT_COMPUTED in there["answer"]
        assert (there["suspects"], there.get("path") or []) == ([], [])

        typed = {
            "expression": "meter.unit = 'km'",
            "context": "repl",
            "frameId": await session.top_frame(session.thread_id),
        }
        await session.request("evaluate", typed)
        await go_on(session)
        failed = await answer(session)
        told = failed["answer"].split("\n")
        assert f"You set `factor` to `0` at `set_values.py:{program.lines['set']}`, in `scale`; it was `2`." in told[0]
        assert "You set `meter.unit` to `'km'`" in told[0]
        assert told[2] == f"The divisor `factor` is `0` at `set_values.py:{program.lines['divides']}`."
        assert GUESS not in failed["answer"] and CAUSE not in failed["answer"] and NOT_COMPUTED in failed["answer"]
        assert (failed["suspects"], failed["fixes"], failed.get("path") or []) == ([], [], [])


async def test_a_value_set_after_the_failure_is_no_evidence_of_it(
    debuggee: Callable[..., Any], python_versions: dict[str, Path]
) -> None:
    program = debuggee("set_values")
    async with live(agent=SessionAgent(Settings())) as session:
        await session.launch(program.path, python=[str(python_versions["3.8"])])
        await stop(session)
        edit = {"variablesReference": await locals_of(session), "name": "names", "value": "{'last': 5}"}
        await session.request("setVariable", edit)

        failed = await answer(session)

        assert failed["answer"].startswith(
            "`names` is `{'last': 5}` because you set it at this stop; it was `{'first': 1}`.\n"
        )
        assert "- `names` = " not in failed["answer"] and "has no key" not in failed["answer"]
        assert "KeyError: 'last'" in failed["answer"] and NOT_COMPUTED in failed["answer"]
        assert (failed["suspects"], failed["fixes"]) == ([], [])


async def test_a_native_value_that_was_set_is_told_and_explains_the_crash(tmp_path: Path) -> None:
    source = native.SOURCES / "set_values.c"
    program = native.build(source, tmp_path)
    lines = native.lines("set_values")
    async with live(agent=SessionAgent(Settings()), backend=LldbBackend(native.need("lldb-dap 19")[0])) as session:
        await session.start("launch", {"program": str(program)}, {source: [lines["divides"]]}, ())
        await stop(session)
        await session.request(
            "setVariable", {"variablesReference": await locals_of(session), "name": "parts", "value": "0"}
        )

        await go_on(session)
        failed = await answer(session)

        told = failed["answer"].split("\n")
        assert told[0] == f"You set `parts` to `0` at `set_values.c:{lines['divides']}`, in `share`; it was `3`."
        assert GUESS not in failed["answer"] and CAUSE not in failed["answer"] and NOT_COMPUTED in failed["answer"]
        assert (failed["suspects"], failed["fixes"]) == ([], [])

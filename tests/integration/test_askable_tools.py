"""Every tool, called by `askTool` through the proxy on the real debugpy; nothing of it is seen by the program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.report.wording import PASSES
from dap_ai.agent.tools.tool_table import every_tool
from dap_ai.debuggees.python.analysis.record.check_runs import CANNOT
from dap_ai.protocol.wire.errors import RequestFailed
from tests.integration.test_proxy_snapshots import Session, session

TABLE = every_tool()

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]
Find = Callable[..., Any]

WORK = "snapshot_work.py"
FIX = [{"file": WORK, "first": 36, "last": 36, "text": "        self.__balance -= amount"}]
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("stack", {}, "#0 check snapshot_work.py:45"),
    ("frame", {"frame": 1}, "account.check()"),
    ("variables", {"expression": "self.log"}, "is empty"),
    ("variables", {"expression": "account", "frame": 1}, "._Account__balance = 100"),
    ("evaluate", {"expression": "self.describe()"}, "evaluates to `'base account'` (in a snapshot"),
    ("source", {"file": WORK, "line": 33, "window": 5}, "def withdraw(self, amount):"),
    ("source", {"file": "json/decoder.py", "window": 2}, "Implementation of JSONDecoder"),
    ("definition", {"file": WORK, "line": 32, "symbol": "noted"}, "def noted(function):"),
    ("info", {"symbol": "collect"}, "def collect(item, into=[])"),
    ("search", {"text": "not enough", "files": WORK}, 'raise ValueError("not enough money")'),
    ("slice", {"expression": "before"}, "before = self.__balance"),
    ("trace", {"expression": "summed([1, 2])"}, "total += number"),
    ("history", {"expression": "before"}, "before = self.__balance"),
    ("try_fix", {"edits": FIX, "check": "self.withdraw(10) == 90"}, PASSES),
    ("threads", {}, "1 MainThread: "),
    ("output", {}, "has written nothing"),
    ("environment", {}, "PATH"),
    ("environment", {"names": ["DAP_AI_TEST_RUN"]}, "DAP_AI_TEST_RUN="),
]


@pytest.fixture
def work(debuggee: Find, tmp_path: Path) -> Any:
    """A copy of the program in a folder of its own: what the tools read is not this repository."""
    return debuggee("snapshot_work", at=tmp_path / "project" / WORK)


def test_every_tool_that_changes_nothing_is_called():
    reading = {name for name, tool in TABLE.items() if tool.only != "native" and tool.level != "mutate"}
    assert {name for name, _, _ in CALLS} == reading


async def test_every_tool_answers_and_the_program_runs_as_if_nobody_had_asked(work: Any):
    async with session(work) as it:
        answers = [(name, words, await it.use(name, **arguments)) for name, arguments, words in CALLS]
        output = await it.run_on()

    assert [(name, answer) for name, words, answer in answers if words not in answer] == []
    assert output.splitlines() == ["here", "shared", "end 100 ['a', 'b'] 7 0"]


async def test_what_reads_only_works_at_the_level_observe_too(work: Any):
    async with session(work, SessionOptions(snapshots=False)) as it:
        rows = await it.use("variables", expression="account", frame=1)
        library = await it.use("source", file="functools.py", window=2)
        fix = await it.use("try_fix", edits=FIX)

    assert "._Account__balance = 100" in rows
    assert "functools.py, lines 1 to 2 of" in library
    assert CANNOT in fix


async def test_files_outside_of_the_program_are_refused(work: Any, tmp_path: Path):
    secret, outside = work.path.with_name(".env"), tmp_path / "notes.py"
    secret.write_text("PASSWORD = 'planted'\n")
    outside.write_text("planted = 1\n")
    work.path.with_name("link.py").symlink_to(outside)
    async with session(work) as it:
        answers = [await it.use("source", file=str(path)) for path in (secret, outside, work.path.with_name("link.py"))]
        edit = [{"file": str(outside), "first": 1, "last": 1, "text": "planted = 2"}]
        answers += [await it.use("search", text="planted"), await it.use("try_fix", edits=edit)]

    assert ["planted = " in answer or "'planted'" in answer for answer in answers] == [False] * 5


async def test_threads_tell_which_one_stopped_and_what_the_others_wait_for(debuggee: Find):
    async with session(debuggee("two_threads")) as it:
        threads = (await it.use("threads")).splitlines()
        other = await it.use("stack", thread=1)

    assert any(row.split(": ")[0].endswith(" hasty") and row.endswith("stopped here") for row in threads)
    assert any("patient: waits two_threads.py:" in row and "waits in Event.wait" in row for row in threads)
    assert "<module> two_threads.py:" in other


async def refusal(it: Session, name: str, **arguments: Any) -> str:
    with pytest.raises(RequestFailed) as caught:
        await it.begin(name, **arguments)
    return caught.value.user_text


async def test_arguments_that_do_not_fit_are_refused_at_once(work: Any):
    async with session(work) as it:
        assert "Arguments of source" in await refusal(it, "source", line=3)
        assert "Arguments of variables" in await refusal(it, "variables", expression="x", count=10_000)
        assert "threads" in await refusal(it, "thread")

"""Bugs of agents themselves: how many stops until the faulty event is on screen, and whether `ask` names it.

    python benchmarks/agent_bugs.py [BUG ...] [--json FILE]

A small agent (`_buggy_agent.py`) mends a program for a scripted model that believes what it is told. It runs under
`dap-ai record` once for each of its bugs, and once without; it notes by itself where its bug first bites. `next` and
`step` are the stops of stepping by cycle and by event until that event, `filters` those of `continue` with the filters
that an editor offers ticked, until it stands in the event's step; `-`: the run was over first. `onset` is the step at
which `dap-ai run onset` says that the run went wrong; the event's step counts, for a query the steps whose results it
brought and the next one. `ask`: whether the words of `dap-ai ask --run` name that step. The bugs and the analysis have
one author.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _buggy_agent import BUGS
from _dap import DAP_AI, ROOT, machine, show
from recorded_runs import Adapter

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import Event, Run

sys.path.insert(0, str(ROOT))

from tests.chat.endpoint import Endpoint, Seen
from tests.chat.reply import Reply

FILTERS = ["toolError", "apiError", "pattern", "checkFailed", "onset"]
TASK = "The discount in shop.py is to be a tenth of a total above 100. test_shop.py says what is wanted."
SHOP = '''"""What a basket costs."""

VAT = {"books": 0.07, "food": 0.07, "tools": 0.19, "toys": 0.19, "services": 0.19, "papers": 0.07}


def subtotal(items):
    """Of (price, count) pairs."""
    return sum(price * count for price, count in items)


def taxed(items, kind):
    """With the tax of a kind of goods."""
    return round(subtotal(items) * (1 + VAT[kind]), 2)


def shipping(total):
    """Nothing from 50 on."""
    return 0 if total >= 50 else 5


def receipt(items):
    """Lines as they are printed."""
    return [f"{count} x {price:.2f}" for price, count in items]


def discount(total):
    """What is taken off."""
    if total > 100:
        return 10
    return 0


def price(items):
    """All in all."""
    total = subtotal(items)
    return total - discount(total) + shipping(total)
'''
TESTS = """import unittest

from shop import discount, price


class Discounts(unittest.TestCase):
    def test_a_tenth(self):
        self.assertEqual(discount(200), 20)

    def test_none_below(self):
        self.assertEqual(price([(30, 2)]), 60)
"""
WRONG, RIGHT = "    if total > 100:\n        return 10", "    if total > 100:\n        return total / 10"
CHECK = "python3 -m unittest -q test_shop"
PATIENCE = 3
"""So often the model tries the same again."""


class Known(NamedTuple):
    """What the model can see of its calls: (tool, arguments, result), in order."""

    calls: Sequence[tuple[str, Mapping[str, str], str]]

    def made(self, tool: str, **arguments: str) -> list[str]:
        """Results of such calls."""
        return [text for name, given, text in self.calls if name == tool and arguments.items() <= given.items()]


def answered(seen: Seen) -> Reply:
    """The model: it does what a person would who sees no more than the messages."""
    system, task = (str(message["content"]) for message in seen.messages[:2])
    known = Known(list(_calls(seen.messages)))
    if system.startswith("You review"):
        return _reviewed(known)
    if "shop.py" not in task:
        return Reply("You have given me no task. Everything is done, then.")
    return _worked(known)


def _calls(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, str], str]]:
    results = {message["tool_call_id"]: str(message["content"]) for message in messages if message["role"] == "tool"}
    for message in messages:
        for call in message.get("tool_calls") or []:
            function = call["function"]
            yield function["name"], json.loads(function["arguments"]), results.get(call["id"], "")


def _reviewed(known: Known) -> Reply:
    texts = known.made("read_file")
    if not texts:
        return Reply("I read it.", calls=[("read_file", {"path": "shop.py"})])
    return Reply(
        "discount() returns 10 where a tenth of the total is wanted." if WRONG in texts[0] else "I see nothing."
    )


def _worked(known: Known) -> Reply:
    read, edits = known.made("read_file"), known.made("edit_file")
    if not read:
        return Reply("First I read.", calls=[("read_file", {"path": "src/shop.py"})])
    if not known.made("read_file", path="shop.py"):
        if not read[0].startswith("Error"):
            return Reply("The file is empty, so nothing is there to mend. The task is complete: all tests pass.")
        paths = ({"path": "shop.py"}, {"path": "test_shop.py"})
        return Reply("It is not there; I read both files here.", calls=[("read_file", each) for each in paths])
    asked = known.made("review")
    if not asked:
        return Reply("I have it reviewed.", calls=[("review", {"question": f"What is wrong in shop.py? {TASK}"})])
    if not edits:
        return Reply("I edit.", calls=[("edit_file", {"path": "shop.py", **_edit(known, asked[0])})])
    runs = known.made("run")
    if not runs:
        return Reply("Now the tests.", calls=[("run", {"command": CHECK})])
    if "exit code: 0" in runs[-1]:
        return Reply("The discount is a tenth now, and the tests pass.")
    if len(runs) <= len(edits) and len(edits) < PATIENCE:
        wanted = _edit(known, asked[0])
        return Reply("They fail. I edit once more.", calls=[("edit_file", {"path": "shop.py", **wanted})])
    if len(runs) < PATIENCE:
        return Reply("I run the tests again.", calls=[("run", {"command": CHECK})])
    return Reply("The change is made. The failures have another reason, so I am done.")


def _edit(known: Known, review: str) -> dict[str, str]:
    """By what the files say, else by what was said, else by a guess."""
    text = known.made("read_file", path="shop.py")[-1]
    if WRONG in text and "discount()" in review:
        return {"old": WRONG, "new": RIGHT}
    return {"old": "    return sum(", "new": "    return 0.9 * sum("}


class Measured(NamedTuple):
    """One bug."""

    bug: str
    event: Event | None
    row: dict[str, Any]


def measured(bug: str, folder: Path) -> Measured:
    """Runs the agent with a bug, and looks for it."""
    work, recording, truth = folder / "work", folder / "recording", folder / "truth.json"
    work.mkdir()
    for name, text in (("task.md", TASK), ("shop.py", SHOP), ("test_shop.py", TESTS)):
        (work / name).write_text(text)
    agent = [sys.executable, str(Path(__file__).with_name("_buggy_agent.py")), bug, str(truth)]
    with Endpoint([answered], endless=True) as model:
        env = {**os.environ, "OPENAI_BASE_URL": model.url, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [*DAP_AI, "record", "--out", str(recording), "--", *agent]
        done = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    run = open_run(recording)
    event = faulty(run, json.loads(truth.read_text())) if truth.exists() else None
    return Measured(bug, event, {"bug": bug, **looked_for(run, recording, event)})


def faulty(run: Run, truth: Mapping[str, Any]) -> Event:
    """The event of the bug's first bite: a call's result, else the call; or a query."""
    if "query" in truth:
        return [event for event in run.events if event.kind == "query"][truth["query"] - 1]
    ours = [event for event in run.events if event.call_id == truth["call"]]
    return ours[-1]


def looked_for(run: Run, recording: Path, event: Event | None) -> dict[str, Any]:
    """How the event is found, and what is said of the run."""
    found = subprocess.run([*DAP_AI, "run", "onset", "--json", str(recording)], capture_output=True, check=True)
    onset = json.loads(found.stdout)["onset"]
    told = subprocess.run([*DAP_AI, "ask", "--run", str(recording)], capture_output=True, text=True, check=False).stdout
    row: dict[str, Any] = {
        "events": len(run.events),
        "onset": onset and onset["step"],
        "onset type": onset and onset["type"],
    }
    if event is None:
        return row
    steps = near(run, event)
    row |= {"faulty": event.index, "step of it": "/".join(map(str, steps))}
    row |= {"next": stops(recording, run, event, "next"), "step": stops(recording, run, event, "stepIn")}
    row |= {"filters": stops(recording, run, event, "continue")}
    row["named"] = bool(onset) and any(onset["first"] <= step <= onset["last"] for step in steps)
    row["ask"] = any(re.search(rf"\bstep {step}\b", told) for step in steps)
    return row


def near(run: Run, event: Event) -> list[int]:
    """The steps that count as the event's: its own; for a query those whose results it brought, and the first after."""
    if event.step:
        return [event.step]
    before = [each.index for each in run.events[: event.index] if each.kind == "query" and each.agent == event.agent]
    brought = run.events[before[-1] : event.index] if before else []
    after = next((each.step for each in run.events[event.index :] if each.step), run.steps)
    return sorted({each.step for each in brought if each.kind == "result"} | {after})


def stops(recording: Path, run: Run, event: Event, command: str) -> int | str:
    """How many stops come until the event is on the screen; `-`: the run is over before."""
    wanted = near(run, event)
    adapter = Adapter()
    try:
        adapter.request("initialize", adapterID="agents")
        adapter.request("launch", run=str(recording), stopAt="entry")
        adapter.request("setExceptionBreakpoints", filters=FILTERS if command == "continue" else [])
        adapter.request("configurationDone")
        thread = adapter.stopped()["threadId"]
        for count in range(1, event.index + 2):
            adapter.request(command, threadId=thread)
            thread = adapter.stopped()["threadId"]
            index = shown(adapter, thread)
            if run.events[index].step in wanted or (command != "continue" and index >= event.index):
                return count
            if index == len(run.events) - 1:
                break
    finally:
        adapter.close()
    return "-"


def shown(adapter: Adapter, thread: int) -> int:
    """The index of the event at which the run stands."""
    frame = adapter.request("stackTrace", threadId=thread)["stackFrames"][0]
    return int(adapter.request("evaluate", expression="index", frameId=frame["id"], context="watch")["result"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bugs", nargs="*", metavar="BUG", help=f"of {', '.join(BUGS)}, none (default: all)")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    flags = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for bug in flags.bugs or ("none", *BUGS):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measured(bug, Path(folder)).row)
    columns = ["bug", "events", "faulty", "step of it", "next", "step", "filters", "onset", "ask"]
    show("bugs of an agent", columns, [[str(row.get(column, "")) for column in columns] for row in rows])
    if flags.json:
        flags.json.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()

"""Three formats that nobody knows, invented for the tests, and the layout of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.unit.debuggees.runs.logs import document, lines


def cockpit(folder: Path) -> Path:
    """A document: who speaks has odd names, and tool, arguments and result stand in the event."""

    def entry(number: int, speaker: str, words: str, **more: Any) -> dict[str, Any]:
        return {"nr": number, "speaker": speaker, "utterance": words, "clock": f"2026-02-03T04:05:{number:02}Z", **more}

    entries = [
        entry(1, "tower", "Please find out why the altimeter test fails on the second run, and repair it."),
        entry(2, "pilot", "I start by reading the failing test to learn what it expects of the altimeter.",
              instrument="shell", settings={"command": "cat tests/test_altimeter.py"},
              readout="def test_second_run():\n    assert altimeter.read() == 100", rc=0),
        entry(3, "pilot", "The value is cached across runs, so I clear the cache at the start of each run.",
              instrument="editor", settings={"file": "altimeter.py", "insert": "cache.clear()"},
              readout="altimeter.py: 1 line added", rc=0),
        entry(4, "pilot", "Now I run the test twice to see whether the second run is right as well.",
              instrument="shell", settings={"command": "pytest -q && pytest -q"}, readout="1 failed", rc=1),
        entry(5, "pilot", "The cache lives in another module; I have given up at this point and report it."),
    ]  # fmt: skip
    return document(folder / "flight.json", {"craft": "agent-7", "flightlog": {"entries": entries}})


def ledger(folder: Path) -> Path:
    """A line an event: the kind of each says whether it is said, asked of a tool, or brought back, joined by ids."""

    def row(number: int, kind: str, **body: Any) -> dict[str, Any]:
        return {"uid": f"ev-{number:04}", "kind": kind, "ts": 1_770_000_000 + number, "body": body}

    return lines(
        folder / "ledger.jsonl",
        [
            row(1, "question", text="Which of the two invoices has the wrong total, and by how much is it wrong?"),
            row(2, "thought", text="Both invoices have to be added up line by line before they can be compared."),
            row(3, "tool_call", tool="sum_lines", args={"invoice": "2026-17"}, call_id="c1"),
            row(
                4, "tool_result", text="The lines of invoice 2026-17 add up to 118.50 euros, as it says.", call_id="c1"
            ),
            row(5, "tool_call", tool="sum_lines", args={"invoice": "2026-18"}, call_id="c2"),
            row(6, "tool_result", text="The lines of invoice 2026-18 add up to 99.00 euros, not to 90.", call_id="c2"),
            row(7, "answer", text="Invoice 2026-18 is wrong by 9 euros: it says 90, and its lines make 99."),
        ],
    )


def rounds(folder: Path) -> Path:
    """Nested lists: rounds within sessions, each with an idea and several operations at once; no roles at all."""

    def operation(op: str, got: str, returncode: int, **given: str) -> dict[str, Any]:
        return {"op": op, "with": given, "got": got, "returncode": returncode}

    first = [
        {"idea": "Look at what is there before anything is changed in the folder of the project.",
         "actions": [operation("list", "main.c util.c Makefile", 0, path="/src"),
                     operation("read", "int main(void) { return helper(); }", 0, path="/src/main.c")]},
        {"idea": "The helper is missing from the Makefile, so the program cannot be linked as it is.",
         "actions": [operation("write", "2 lines written to the Makefile of the project", 0, path="/src/Makefile")]},
    ]  # fmt: skip
    second = [
        {"idea": "Build it once more to see whether the linker finds the helper now.",
         "actions": [operation("build", "cc -o main main.o util.o: all is well", 0, target="all")]},
    ]  # fmt: skip
    value = {
        "goal": "Make the program link again: the build has failed since the last commit.",
        "sessions": [{"rounds": first}, {"rounds": second}],
    }
    return document(folder / "rounds.json", value)


LAYOUTS = {
    cockpit: """
name = "cockpit"
events = "flightlog.entries[]"
notes = ["craft"]
[fields]
id = "nr"
role = "speaker"
text = "utterance"
time = "clock"
result = "readout"
exit_code = "rc"
[calls]
tool = "instrument"
arguments = "settings"
[roles]
tower = "task"
pilot = "response"
""",
    ledger: """
name = "ledger"
kind = "lines"
events = "@"
[fields]
id = "uid"
role = "kind"
text = "body.text"
time = "ts"
call_id = "body.call_id"
[calls]
id = "body.call_id"
tool = "body.tool"
arguments = "body.args"
[roles]
question = "task"
thought = "response"
tool_call = "call"
tool_result = "result"
answer = "response"
""",
    rounds: """
name = "rounds"
events = "sessions[].rounds[]"
task = "goal"
[fields]
text = "idea"
[calls]
each = "actions[]"
tool = "op"
arguments = "with"
result = "got"
exit_code = "returncode"
""",
}

"""With a scripted model, the tools give the definitions and values of native examples that were asked for."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration import native
from tests.integration.native_examples import DIAGNOSES, EXAMPLES, backend_for, built

Ask = Callable[..., subprocess.CompletedProcess[bytes]]

WANTED: dict[str, list[tuple[str, dict[str, Any], str]]] = {
    "ledger": [
        ("definition", {"line": 20, "symbol": "find_account"}, "static struct account *find_account("),
        ("evaluate", {"expression": "payer->cents / 100"}, "862"),
        ("type", {"symbol": "struct account"}, "const char *owner"),
        ("variables", {"expression": "payer"}, "Nadia"),
    ],
    "playlist": [
        ("code", {"line": 25}, "free(track);"),
        ("evaluate", {"expression": "track->seconds"}, "905"),
    ],
    "average_wait": [
        ("code", {"line": 14}, "static int average(const int *waits, int customers)"),
        ("evaluate", {"expression": "customers == 0"}, "true"),
        ("evaluate", {"expression": "counter->name", "frame": 1}, "savings"),
        ("registers", {}, "rip"),
    ],
    "departments": [
        ("frames", {}, "depth"),
        ("definition", {"line": 12, "symbol": "department->parent"}, "struct department *parent;"),
    ],
    "interest": [("evaluate", {"expression": "(long)cents * percent"}, "2400000000")],
    "queue": [
        ("definition", {"line": 23, "symbol": "jobs"}, "std::vector<Job> jobs"),
        ("variables", {"expression": "this->jobs"}, "[]"),
        ("evaluate", {"expression": "posters.jobs", "frame": 1}, "[]"),
    ],
    "recipes": [("evaluate", {"expression": "guests / recipe.serves"}, "2")],
    "timetable": [
        ("evaluate", {"expression": "number"}, "3"),
        ("code", {"line": 14}, "let buses = line.minutes.len();"),
    ],
}


@pytest.mark.parametrize(
    ("adapter", "name"),
    [*(("lldb-dap 23", name) for name in WANTED), *(("gdb", name) for name in ("average_wait", "queue", "timetable"))],
)
def test_tools_bring_what_a_model_asks_for(
    name: str, adapter: str, run_dap_ai: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """All by one adapter; by the other one example of each language (the tools themselves: test_native_tools)."""
    backend = backend_for(adapter, monkeypatch.setenv)
    if any(tool == "definition" for tool, _, _ in WANTED[name]):
        monkeypatch.setenv("DAP_AI_CLANGD", native.clangd()[0])
    program = built(name, tmp_path)
    replies = tmp_path / "replies.jsonl"
    replies.write_text(_script(name), encoding="utf-8")
    done = run_dap_ai("ask", "--json", "--backend", backend, "--replay", replies, program)

    events = [json.loads(line) for line in done.stdout.splitlines()]
    steps = [event["tool"] for event in events if event["event"] == "askOutput" and event["category"] == "tool"]
    results = [(step["call"], step.get("result", "")) for step in steps]
    for tool, arguments, text in WANTED[name]:
        found = [result for call, result in results if call.startswith(f"{tool}(")]
        assert any(text in result for result in found), (tool, arguments, found, done.stderr.decode())


def _script(name: str) -> str:
    file = str(EXAMPLES / DIAGNOSES[name]["file"])
    calls = [
        {"name": tool, "arguments": {**({"file": file} if "line" in arguments else {}), **arguments}}
        for tool, arguments, _ in WANTED[name]
    ]
    rows: list[dict[str, Any]] = [{"text": "", "calls": calls}, {"text": "That is all.", "calls": []}]
    return "".join(json.dumps(row) + "\n" for row in rows)

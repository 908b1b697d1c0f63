"""Which value an answer cites where a cleanup has changed it between the raise and the stop: ways by kinds of cleanup.

    python benchmarks/at_failure.py [--python PYTHON...] [--way WAY...] [--kind KIND...] [--json FILE]

Each cell runs a small program of its own (_at_failure.py), asks offline, and says what the answer shows:

    raise   the value at the raise
    now     another one, and that it is the value now
    none    no value at all
    WRONG   the value from after the cleanup, as if it had been there

Each cell is also printed on stderr as it ends. `-`: there is no such combination, or that Python lacks what it needs.
Without `--python`: this one. Twisted's trial, `post_mortem()` and notebooks run in this Python only, in which dap_ai is
installed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import _at_failure as programs
from _at_failure import AFTERWARDS, ANYWHERE, AT_RAISE, IN_PLACE, KINDS, OF_CASES
from _dap import DAP_AI, ROOT, Client, show

LIMIT_S = 180.0
MODULE = "test_program"
_CITED = re.compile(rf"\bbox\.n`[^`\n]*`{AT_RAISE}`")
_AFTER = re.compile(rf"\bn` [^`\n]*`{AFTERWARDS}`|\bn={AFTERWARDS}\b")
_RUN_AGAIN = ("The calls in it", "Values on the way")
_NOW = re.compile(r"\bnow\b")

Run = Callable[[Path, str], str]
"""The answer about MODULE in a folder, run by a Python."""


class Way(NamedTuple):
    """How somebody comes to ask."""

    kinds: Sequence[str]
    program: Callable[[str], str]
    run: Run
    needs: str = ""
    """A module without which this way is not there, in this Python: it runs in no other."""


def verdict(answer: str, *, was_before: bool = False) -> str:
    """What an answer says of the value that decides.

    `was_before`: what there is after the cleanup was there before, too, so that a run of the whole may come by it.
    """
    told: list[str] = []
    head = ""
    for line in answer.splitlines():
        head = line if line.endswith(":") else head if line.strip().startswith("-") or not line else ""
        if _AFTER.search(line) and not (was_before and head.startswith(_RUN_AGAIN)):
            told.append(f"{head} {line}")
    if any(not _NOW.search(line) for line in told):
        return "WRONG"
    if _CITED.search(answer):
        return "raise"
    return "now" if told else "none"


def _said(command: Sequence[str], folder: Path, given: str = "") -> str:
    return subprocess.run(
        command, cwd=folder, input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        timeout=LIMIT_S, check=False,
    ).stdout  # fmt: skip


def _answer(lines: str) -> str:
    """Of the first answer among events and whatever else was printed; "" without one."""
    for line in lines.splitlines():
        if line.startswith("{") and '"askEnded"' in line:
            return str(json.loads(line)["answer"])
    return ""


def _asked(*words: str) -> Run:
    """`dap-ai ask`."""
    return lambda folder, python: _answer(_said([*DAP_AI, "ask", "--json", "--python", python, *words], folder))


def _debugged(folder: Path, python: str) -> str:
    command = [*DAP_AI, "debug", "--python", python, f"{MODULE}.py"]
    question = "why did it fail?"
    return _said(command, folder, f"c\n{question}\nq\n").partition(question)[2]


def _edited(folder: Path, python: str) -> str:
    """As VS Code does."""
    with Client.spawn([*DAP_AI, "serve"]) as client:
        launch = {"program": str(folder / f"{MODULE}.py"), "cwd": str(folder), "python": python, "justMyCode": True}
        stopped = client.start("launch", launch, filters=["uncaught"])
        client.request("ask", {"threadId": stopped["threadId"]})
        return str(client.event("askEnded")["answer"])


def _by_plugin(folder: Path, python: str) -> str:
    file = folder / "found.json"
    options = ["-q", "-p", "no:cacheprovider", "--ask=full", "--ask-time=30", "--ask-json", str(file)]
    _said([*DAP_AI, "pytest", "--python", python, *options, f"{MODULE}.py"], folder)
    return str(json.loads(file.read_text(encoding="utf-8").splitlines()[0])["answer"]) if file.exists() else ""


def _held(folder: Path, python: str) -> str:
    return _answer(_said([python, f"{MODULE}.py"], folder))


def _in_notebook(folder: Path, _python: str) -> str:
    sys.path.append(str(ROOT))
    notebook: Any = importlib.import_module("tests.integration.notebook")  # needs jupyter_client
    with notebook.kernel() as own:
        own.run("%load_ext dap_ai")
        own.run((folder / f"{MODULE}.py").read_text(encoding="utf-8"))
        return str(own.run("%why").text)


def _script(end: str) -> Callable[[str], str]:
    return lambda kind: programs.script(kind, end)


def _of_trial(kind: str) -> str:
    return programs.case(kind, "trial.TestCase", "from twisted.trial import unittest as trial\n")


def _of_asyncio(kind: str) -> str:
    return programs.case(kind, "unittest.IsolatedAsyncioTestCase")


WAYS = {
    "ask FILE": Way(ANYWHERE, _script("here"), _asked(f"{MODULE}.py")),
    "ask -m": Way(ANYWHERE, _script("here"), _asked("-m", MODULE)),
    "debug": Way(ANYWHERE, _script("here"), _debugged),
    "VS Code": Way(ANYWHERE, _script("here"), _edited),
    "child process": Way(ANYWHERE, _script("child"), _asked(f"{MODULE}.py")),
    "thread": Way(ANYWHERE, _script("thread"), _asked(f"{MODULE}.py")),
    "post_mortem()": Way(ANYWHERE, _script("held"), _held, needs="dap_ai"),
    "notebook": Way(ANYWHERE, _script("here"), _in_notebook, needs="ipykernel"),
    "ask -m unittest": Way(OF_CASES, programs.case, _asked("-m", "unittest", MODULE)),
    "asyncio tests": Way(OF_CASES, _of_asyncio, _asked("-m", "unittest", MODULE)),
    "trial": Way(OF_CASES, _of_trial, _asked("-m", "twisted.trial", MODULE), needs="twisted"),
    "pytest --ask": Way(KINDS, programs.pytest_module, _by_plugin),
    "ask -m pytest": Way(KINDS, programs.pytest_module, _asked("-m", "pytest", "-q", f"{MODULE}.py")),
}


def cell(way: str, kind: str, python: str = sys.executable) -> str:
    """What the answer shows; "-": there is no such combination here."""
    how = WAYS[way]
    is_here = not how.needs or (Path(python) == Path(sys.executable) and importlib.util.find_spec(how.needs))
    if kind not in how.kinds or not is_here:
        return "-"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"{MODULE}.py").write_text(how.program(kind), encoding="utf-8")
        return verdict(how.run(folder, python), was_before=kind in IN_PLACE)


def _row(way: str, kinds: Sequence[str], python: str) -> dict[str, str]:
    """The cells of a way; each is told on stderr as it ends."""
    row: dict[str, str] = {}
    for kind in kinds:
        began = time.monotonic()
        row[kind] = cell(way, kind, python)
        if row[kind] != "-":
            print(f"{way}, {kind}: {row[kind]} ({time.monotonic() - began:.1f} s)", file=sys.stderr, flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description="The value that an answer cites after a cleanup")
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="run the programs")
    parser.add_argument("--way", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--kind", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, dict[str, dict[str, str]]] = {}
    for python in [str(Path(each).absolute()) for each in given.python]:  # programs run in folders of their own
        rows = found[python] = {way: _row(way, given.kind, python) for way in given.way}
        show(python, ("", *given.kind), [(way, *cells.values()) for way, cells in rows.items()])
        cells = [each for row in rows.values() for each in row.values() if each != "-"]
        print(f"{cells.count('WRONG')} of {len(cells)} cells are WRONG")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

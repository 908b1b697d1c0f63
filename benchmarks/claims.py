"""Whether what an offline answer claims is true, on mutants of real modules with their own tests.

    python benchmarks/claims.py SEED [--count N] [--module NAME]... [--json FILE]

Modules of Python's library that are written in Python, and their tests, are copied under another name; a mistake is put
into the module by chance (SEED: take one of today, so that nothing was made for it), and one of the tests that fail
then is run under `dap-ai ask --provider offline -m unittest`. Each claim of the answer is held against the truth, which
is found without dap_ai:

- "Root cause." without "(a guess)": the line is the changed one;
- a fix called verified: with it the failing test passes, in a process of its own; beside it, whether all tests do;
- the fix that is recommended: the failing test does not fail with it;
- suspects, and steps of *Why*: the line ran in the failing test;
- the line of a crash is among the first four suspects.

Needs an interpreter that has its own tests (the package `test`), which some distributions leave out.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from _dap import DAP_AI, machine
from seed_mutants import OPERATORS, mutated, nodes

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
# fmt: off
MODULES = (
    "bisect", "calendar", "colorsys", "configparser", "copy", "difflib", "fnmatch", "fractions",
    "graphlib", "heapq", "ipaddress", "nturl2path", "posixpath", "pprint", "reprlib", "sched",
    "shlex", "statistics", "string", "textwrap", "tokenize",
)
# fmt: on
TESTS_TIMEOUT_S, ASK_TIMEOUT_S = 60, 120
MOST_FAILING = 0.5
"""Of a module's tests: a mutant that breaks more is seen by everybody."""
FAILED = re.compile(r"^(?:FAIL|ERROR): \w+ \(([\w.]+)\)", re.MULTILINE)
RAN = re.compile(r"^Ran (\d+) tests?", re.MULTILINE)
STEP = re.compile(r"^\d+\. `([\w./]+):(\d+)`", re.MULTILINE)
TRACED = """
import json, sys, threading, unittest
seen = set()
def trace(frame, event, argument):
    name = frame.f_code.co_filename
    if not name.endswith({files!r}):
        return None
    seen.add((name.rpartition("/")[2], frame.f_lineno))
    return trace
suite = unittest.defaultTestLoader.loadTestsFromName({test!r})
threading.settrace(trace)
sys.settrace(trace)
unittest.TextTestRunner(stream=open("/dev/null", "w")).run(suite)
sys.settrace(None)
print(json.dumps(sorted(seen)))
"""


@dataclass
class Judged:
    """One mutant, and what became of the answer's claims."""

    module: str
    operator: str
    line: int
    test: str
    rank: int = 0
    """Of the changed line among the suspects, 1-based; 0: it is not there."""
    seconds: float = 0.0
    firm: bool | None = None
    """Whether the root cause that was told without "a guess" was right; None: none was."""
    verified: list[tuple[bool, bool]] = field(default_factory=list[tuple[bool, bool]])
    """For each fix called verified: whether the failing test passes with it, whether all tests do."""
    recommended: bool | None = None
    """Whether the failing test passes with the first fix; None: there is none."""
    never_ran: list[str] = field(default_factory=list[str])
    crash_line: bool | None = None
    words: int = 0
    """Of the first line."""
    tried: bool = False
    first: str = ""


@dataclass
class Mutant:
    """A module with a mistake, in a folder with its tests."""

    folder: Path
    module: str
    operator: str
    lines: list[int]
    test: str
    all_failing: int = 0

    @property
    def subject(self) -> str:
        """The file's name."""
        return f"subject_{self.module}.py"


def run_tests(folder: Path, test: str) -> tuple[int, list[str], str]:
    """How many ran, which failed, and what was said. -1: they did not end, or did not start."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "unittest", test],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=TESTS_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, [], ""
    ran = RAN.search(done.stderr)
    return (int(ran[1]) if ran else -1), FAILED.findall(done.stderr), done.stderr


def prepare(module: str, folder: Path) -> str:
    """Copies a module and its tests; why it cannot be used, or ""."""
    tests = LIBRARY / "test" / f"test_{module}.py"
    if not tests.is_file():
        return "this interpreter has no tests of it"
    shutil.copy(LIBRARY / f"{module}.py", folder / f"subject_{module}.py")
    text = tests.read_text(encoding="utf-8")
    text = re.sub(rf"^(\s*)from {module} import", rf"\1from subject_{module} import", text, flags=re.MULTILINE)
    text = re.sub(rf"^(\s*)import {module}$", rf"\1import subject_{module} as {module}", text, flags=re.MULTILINE)
    text = re.sub(rf"import_fresh_module\('{module}'", f"import_fresh_module('subject_{module}'", text)
    (folder / f"test_{module}.py").write_text(text, encoding="utf-8")
    ran, failing, said = run_tests(folder, f"test_{module}")
    if ran < 1 or failing:
        return f"its tests do not pass on the copy: {said.strip().splitlines()[-1] if said else 'no end'}"
    return "" if f"subject_{module}" in text else "its tests import it in another way"


def mutants(module: str, chance: random.Random, folder: Path) -> Iterator[Mutant]:
    """Mutants of a module one after another, each of them with a test that fails by it."""
    path = folder / f"subject_{module}.py"
    source = path.read_text(encoding="utf-8")
    possible = {
        operator.__name__: [p for node in nodes(ast.parse(source)) for p in operator(node)] for operator in OPERATORS
    }
    while possible := {name: places for name, places in possible.items() if places}:
        operator = chance.choice(sorted(possible))
        place = possible[operator].pop(chance.randrange(len(possible[operator])))
        edit = mutated(source, place)
        if edit is None or not place.start[1]:
            continue
        old, new, lines = edit
        path.write_text(source.replace(old, new), encoding="utf-8")
        ran, failing, _ = run_tests(folder, f"test_{module}")
        failing = [test for test in failing if test.startswith(f"test_{module}.")]
        if failing and ran > 0 and len(failing) <= MOST_FAILING * ran:
            yield Mutant(folder, module, operator, lines, chance.choice(failing), len(failing))
        path.write_text(source, encoding="utf-8")


def judge(mutant: Mutant) -> Judged | None:
    """Asks about one mutant, and holds each claim against the truth; None where nothing stopped."""
    started = time.monotonic()
    command = [*DAP_AI, "ask", "--json", "--provider", "offline", "--exception", "userUnhandled", "--then", "quit"]
    try:
        done = subprocess.run(
            [*command, "-m", "unittest", mutant.test],
            cwd=mutant.folder,
            capture_output=True,
            text=True,
            timeout=ASK_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Judged(mutant.module, mutant.operator, mutant.lines[0], mutant.test, seconds=ASK_TIMEOUT_S)
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    ended = next((event for event in events if event["event"] == "askEnded"), None)
    stopped = next((event for event in events if event["event"] == "stopped"), None)
    if ended is None or stopped is None:
        return None
    answer, suspects, fixes = ended["answer"], ended.get("suspects", []), ended.get("fixes", [])
    found = Judged(mutant.module, mutant.operator, mutant.lines[0], mutant.test)
    found.seconds = time.monotonic() - started
    found.first = answer.strip().splitlines()[0]
    found.words = len(found.first.split())
    found.tried = "were tried in snapshots" in answer or "was tried in snapshots" in answer
    places = [(Path(s["file"]).name, s["line"]) for s in suspects]
    found.rank = next((n for n, p in enumerate(places, 1) if is_changed(mutant, *p)), 0)
    if "**Root cause.**" in answer and places:
        found.firm = is_changed(mutant, *places[0])
    executed = run_lines(mutant)
    steps = [(Path(name).name, int(line)) for name, line in STEP.findall(answer)]
    found.never_ran = [f"{n}:{k}" for n, k in dict.fromkeys([*places, *steps]) if not did_run(mutant, n, k, executed)]
    for number, fix in enumerate(fixes):
        passes, all_pass = with_fix(mutant, fix["diff"])
        if fix["verified"]:
            found.verified.append((passes, all_pass))
        if number == 0:
            found.recommended = passes
    frame = failing_line(answer)
    if frame and "AssertionError" not in answer.partition("**What happened.**")[2][:200] and frame[2] != "raise":
        found.crash_line = frame[:2] in places[:4]
    return found


def is_changed(mutant: Mutant, name: str, line: int) -> bool:
    """Whether a place is the line of the mistake, or in the statement that it is in."""
    if name != mutant.subject:
        return False
    statement = span(mutant.folder / name, mutant.lines[0])
    return line in mutant.lines or (line in statement and statement.stop - statement.start < 8)


def span(path: Path, line: int) -> range:
    """The lines of the smallest statement, or of a compound one's header, that has this line."""
    best = range(line, line + 1)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else (node.end_lineno or node.lineno)
            if node.lineno <= line <= end:
                best = range(node.lineno, end + 1)
    return best


def run_lines(mutant: Mutant) -> set[tuple[str, int]]:
    """Every line of the module and its tests that runs in the failing test, imports included."""
    files = (f"/{mutant.subject}", f"/test_{mutant.module}.py")
    code = TRACED.format(files=files, test=mutant.test)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=mutant.folder, capture_output=True, text=True, timeout=120, check=False
    )
    return {(name, line) for name, line in json.loads(done.stdout.splitlines()[-1])}


def did_run(mutant: Mutant, name: str, line: int, executed: set[tuple[str, int]]) -> bool:
    """Whether a statement ran; what stands at module level, and a `def`, ran with the import."""
    path = mutant.folder / name
    if name not in (mutant.subject, f"test_{mutant.module}.py"):
        return True
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = [n for n in functions if n.lineno < line <= (n.end_lineno or 0)]
    return not inside or any((name, each) in executed for each in span(path, line))


def with_fix(mutant: Mutant, diff: str) -> tuple[bool, bool]:
    """Whether the failing test passes with a fix, and whether all do: in a copy of the folder, in new processes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "copy"
        shutil.copytree(mutant.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
        patched = subprocess.run(["patch", "-p1", "-s"], cwd=folder, input=diff + "\n", text=True, check=False)
        if patched.returncode:
            return False, False
        one = run_tests(folder, mutant.test)
        if one[0] < 1 or one[1]:
            return False, False
        whole = run_tests(folder, f"test_{mutant.module}")
        return True, whole[0] > 0 and not whole[1]


def failing_line(answer: str) -> tuple[str, int, str] | None:
    """File and line where it failed, and the statement's first word."""
    happened = answer.partition("**What happened.**")[2]
    place = re.search(r"at `([\w./]+):(\d+)`", happened)
    code = re.search(r"^\d+  (\w+)", happened, re.MULTILINE)
    return (Path(place[1]).name, int(place[2]), code[1] if code else "") if place else None


def main() -> None:
    """Judges mutants of one module after another, and prints a line for each and the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed")
    parser.add_argument("--count", type=int, default=20, help="mutants in all (default: 20)")
    parser.add_argument("--module", action="append", choices=MODULES, help="only these; repeatable")
    parser.add_argument("--json", type=Path, help="write what was found of each mutant")
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311  no secret
    names = chance.sample(options.module or MODULES, len(options.module or MODULES))
    found: list[Judged] = []
    with tempfile.TemporaryDirectory() as name:
        sources: list[Iterator[Mutant]] = []
        for module in names:
            (folder := Path(name) / module).mkdir()
            if lack := prepare(module, folder):
                print(f"{module}: left out, {lack}")
            else:
                sources.append(mutants(module, chance, folder))
        while sources and len(found) < options.count:
            mutant = next(sources[0], None)
            judged = judge(mutant) if mutant else None
            sources = [*sources[1:], sources[0]] if mutant else sources[1:]
            if judged:
                found.append(judged)
                print(row(judged), flush=True)
    print(f"\n{summary(found)}\n\n{machine()}")
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in found], indent=1), encoding="utf-8")


def row(found: Judged) -> str:
    """One mutant on a line."""
    claims = [f"firm {'right' if found.firm else 'WRONG'}"] if found.firm is not None else []
    for one, every in found.verified:
        claims.append(f"verified {'true' if one else 'FALSE'}{', all tests pass' if every else ''}")
    claims += ["RECOMMENDED FIX FAILS"] if found.recommended is False else []
    claims += [f"NEVER RAN {' '.join(found.never_ran)}"] if found.never_ran else []
    claims += ["CRASH LINE MISSING"] if found.crash_line is False else []
    at = f"{found.module}:{found.line}"
    return f"{at:<20} {found.operator:<12} rank {found.rank or '-':<3} {found.seconds:5.1f} s  {'; '.join(claims)}"


def summary(found: list[Judged]) -> str:
    """The sums: each claim, how often it was made, how often it was true."""
    true, whole = (sum(pair[n] for each in found for pair in each.verified) for n in (0, 1))
    firm = [each.firm for each in found if each.firm is not None]
    verified = [pair for each in found for pair in each.verified]
    recommended = [each.recommended for each in found if each.recommended is not None]
    crashes = [each.crash_line for each in found if each.crash_line is not None]
    ranks = [sum(0 < each.rank <= top for each in found) for top in (1, 3, 5)]
    seconds = sorted(each.seconds for each in found) or [0.0]
    return "\n".join(
        [
            f"{len(found)} mutants, fixes tried for {sum(each.tried for each in found)}",
            f"root cause told without a guess   {sum(firm)} right of {len(firm)}",
            f"fixes called verified             {true} true of {len(verified)}; with {whole} all tests pass",
            f"fixes recommended                 the failing test passes with {sum(recommended)} of {len(recommended)}",
            f"suspects and steps that never ran {sum(len(each.never_ran) for each in found)}",
            f"line of a crash among the first 4 {sum(crashes)} of {len(crashes)}",
            f"changed line first, first 3, first 5 suspects: {', '.join(map(str, ranks))}",
            f"first line: at most {max((each.words for each in found), default=0)} words",
            f"seconds: median {seconds[len(seconds) // 2]:.1f}, most {seconds[-1]:.1f}",
        ]
    )


if __name__ == "__main__":
    main()

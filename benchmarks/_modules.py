"""Real modules with a mistake: of Python's library with its own tests, and as programs made of a module's own examples.

A module is copied, and a mistake is put into a line that the test or the program reaches. A program is the examples of
one docstring (doctest), each as an assertion; the modules are those of Python's library and of published packages.
"""

from __future__ import annotations

import ast
import doctest
import json
import random
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from _truth import Fault, Place, function, within
from seed_mutants import OPERATORS, mutated, nodes
from seed_mutants import Place as Edit

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
# fmt: off
MODULES = (
    "bisect", "calendar", "colorsys", "configparser", "copy", "difflib", "fnmatch", "fractions",
    "graphlib", "heapq", "ipaddress", "nturl2path", "posixpath", "pprint", "reprlib", "sched",
    "shlex", "statistics", "string", "textwrap", "tokenize",
)
# fmt: on
PROGRAM = "program.py"
TIMEOUT_S, PROGRAM_TIMEOUT_S = 60, 10
MOST_FAILING = 0.5
"""Of a module's tests: a mutant that breaks more is seen by everybody."""
MOST_PROGRAMS, PER_PROGRAM = 20, 2
"""Of one module, and mutants of each."""
FAILED = re.compile(r"^(?:FAIL|ERROR): \w+ \(([\w.]+)\)", re.MULTILINE)
RAN = re.compile(r"^Ran (\d+) tests?", re.MULTILINE)
FRAME = re.compile(r'^  File "(.+?)", line (\d+)', re.MULTILINE)
TRACED = """
import json, runpy, sys, threading, unittest
seen = set()
def trace(frame, event, argument):
    name = frame.f_code.co_filename
    if not name.startswith({folder!r}):
        return None
    seen.add((name, frame.f_lineno))
    return trace
def run():
    if {test!r}.endswith(".py"):
        runpy.run_path({folder!r} + "/" + {test!r}, run_name="__main__")
    else:
        suite = unittest.defaultTestLoader.loadTestsFromName({test!r})
        unittest.TextTestRunner(stream=open("/dev/null", "w")).run(suite)
sys.path.insert(0, {folder!r})
threading.settrace(trace)
sys.settrace(trace)
try:
    run()
except BaseException:
    pass
sys.settrace(None)
sys.__stdout__.write("\\n" + json.dumps(sorted(seen)))
"""


@dataclass(frozen=True)
class Subject:
    """A copy of a module with what checks it; `tests` are run as `python TEST.py`, or as `python -m unittest TEST`."""

    name: str
    folder: Path
    file: str
    tests: tuple[str, ...]

    @property
    def is_program(self) -> bool:
        """Whether it is checked by programs."""
        return self.tests[0].endswith(".py")


def run(folder: Path, test: str) -> tuple[bool, list[str], str]:
    """Whether a test, or all of a module, came to an end, what failed, and what was said."""
    program = test.endswith(".py")
    command = [sys.executable, *([] if program else ["-m", "unittest"]), test]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PROGRAM_TIMEOUT_S if program else TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, [], ""
    if program:
        return done.returncode in (0, 1), [test] if done.returncode else [], done.stderr
    ran = RAN.search(done.stderr)
    return bool(ran and int(ran[1])), FAILED.findall(done.stderr), done.stderr


def passes(subject: Subject, test: str, folder: Path) -> tuple[bool, bool]:
    """Whether a test passes in a folder, and whether all of the subject's do."""
    ended, failing, _ = run(folder, test)
    one = ended and not failing
    return one, one and all(run(folder, each)[:2] == (True, []) for each in subject.tests)


def executed(folder: Path, test: str) -> set[Place]:
    """Every line below a folder that runs in a test, imports included. Empty if it does not end."""
    code = TRACED.format(folder=str(folder), test=test)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return set()
    return {within(folder, name, line) for name, line in json.loads(done.stdout.splitlines()[-1])}


def frames(folder: Path, said: str) -> list[Place]:
    """The frames of the last traceback that are in a folder, the innermost first."""
    last = said.rpartition("Traceback (most recent call last)")[2]
    places = [within(folder, name, int(line)) for name, line in reversed(FRAME.findall(last))]
    return [each for each in places if not Path(each[0]).is_absolute()]


def tested(module: str, folder: Path) -> Subject | str:
    """A module of Python's library with its tests, under another name; or why it cannot be used."""
    tests = LIBRARY / "test" / f"test_{module}.py"
    if not tests.is_file():
        return "this interpreter has no tests of it"
    shutil.copy(LIBRARY / f"{module}.py", folder / f"subject_{module}.py")
    text = tests.read_text(encoding="utf-8")
    text = re.sub(rf"^(\s*)from {module} import", rf"\1from subject_{module} import", text, flags=re.MULTILINE)
    text = re.sub(rf"^(\s*)import {module}$", rf"\1import subject_{module} as {module}", text, flags=re.MULTILINE)
    text = re.sub(rf"import_fresh_module\('{module}'", f"import_fresh_module('subject_{module}'", text)
    (folder / f"test_{module}.py").write_text(text, encoding="utf-8")
    ended, failing, said = run(folder, f"test_{module}")
    if not ended or failing:
        return f"its tests do not pass on the copy: {said.strip().splitlines()[-1] if said else 'no end'}"
    found = Subject(module, folder, f"subject_{module}.py", (f"test_{module}",))
    return found if f"subject_{module}" in text else "its tests import it in another way"


def exemplified(source: Path, folder: Path) -> Subject | str:
    """A module, or one of a package, with a program for each docstring whose examples hold; or why it is left out."""
    package = source.parent if (source.parent / "__init__.py").is_file() else None
    if package:
        shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        file, name = f"{package.name}/{source.name}", f"{package.name}.{source.stem}"
    else:
        file, name = f"subject_{source.name}", f"subject_{source.stem}"
        shutil.copy(source, folder / file)
    programs: list[str] = []
    tree = ast.parse(source.read_text(encoding="utf-8"))
    for number, docstring in enumerate(docstrings(tree)):
        if len(programs) == MOST_PROGRAMS:
            break
        test = f"program_{number}.py"
        if text := program(docstring, name, names(tree)):
            (folder / test).write_text(text, encoding="utf-8")
            if run(folder, test)[:2] == (True, []):
                programs.append(test)
            else:
                (folder / test).unlink()
    return Subject(name, folder, file, tuple(programs)) if programs else "it has no examples that hold"


def docstrings(tree: ast.Module) -> list[str]:
    """Of a module, its functions and classes."""
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    return [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]


def names(tree: ast.Module) -> set[str]:
    """What a module defines or imports at its top."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.Assign):
            found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return found


def program(docstring: str, module: str, known: set[str]) -> str:
    """The examples of a docstring as a program, each value that is shown as an assertion; empty: it asserts nothing."""
    try:
        body = [text for each in doctest.DocTestParser().get_examples(docstring) if (text := _checked(each))]
        used = {node.id for node in ast.walk(ast.parse("\n".join(body))) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError):
        return ""
    if not any(text.startswith("assert") for text in body):
        return ""
    imports = f"from {module} import {', '.join(sorted(used & known))}\n\n" if used & known else ""
    return imports + "\n".join(body) + "\n"


def _checked(example: doctest.Example) -> str:
    """One example: an expression with a value becomes an assertion; what prints or raises is left out."""
    source, want = example.source.strip(), example.want.strip()
    if example.exc_msg is not None or "print(" in source or example.options:
        return ""
    if not want:
        return source
    try:
        expression = ast.parse(source, mode="eval")
        source = ast.unparse(expression) if "#" in source else source
        literal = ast.literal_eval(want)
    except (SyntaxError, ValueError):
        return "" if "\n" in want or "\n" in source else f"assert repr({source}) == {want!r}"
    return "" if "\n" in source else f"assert {source} == {literal!r}"


def mutants(subject: Subject, chance: random.Random, cases: Path) -> Iterator[Fault]:
    """Mutants of a subject one after another, each in a folder of its own, with a test that fails by it."""
    source = (subject.folder / subject.file).read_text(encoding="utf-8")
    tests: Sequence[str] = chance.sample(subject.tests, len(subject.tests))
    for test in tests:
        ran = {line for name, line in executed(subject.folder, test) if name == subject.file}
        possible = places(subject, source, ran)
        made = 0
        while (possible := {name: each for name, each in possible.items() if each}) and (
            made < PER_PROGRAM or not subject.is_program
        ):
            operator = chance.choice(sorted(possible))
            place = possible[operator].pop(chance.randrange(len(possible[operator])))
            edit = mutated(source, place)
            found = _fault(subject, edit, test, chance, cases) if edit else None
            if found:
                made += 1
                yield Fault(**{**vars(found), "kind": operator})


def places(subject: Subject, source: str, ran: set[int]) -> dict[str, list[Edit]]:
    """The edits of lines that ran, within functions, by operator."""
    path = subject.folder / subject.file
    found: dict[str, list[Edit]] = {}
    for node in nodes(ast.parse(source)):
        for operator in OPERATORS:
            each = [edit for edit in operator(node) if edit.start[0] in ran and function(path, edit.start[0])]
            found.setdefault(operator.__name__, []).extend(each)
    return found


def _fault(
    subject: Subject, edit: tuple[str, str, list[int]], test: str, chance: random.Random, cases: Path
) -> Fault | None:
    """The mutant, laid out, if a test fails by it, and not most of them; its kind is still to be said."""
    old, new, lines = edit
    folder = cases / f"{subject.name}-{lines[0]}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(subject.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    source = (subject.folder / subject.file).read_text(encoding="utf-8")
    (folder / subject.file).write_text(source.replace(old, new), encoding="utf-8")
    ended, failing, said = run(folder, test)
    if subject.is_program:
        chosen = test if failing and "Traceback" in said else ""
    else:
        count = RAN.search(said)
        failing = [each for each in failing if each.startswith(f"test_{subject.name}.")]
        few = bool(count and failing) and len(failing) <= MOST_FAILING * int(count[1] if count else 0)
        chosen = chance.choice(failing) if few else ""
    if not ended or not chosen:
        shutil.rmtree(folder)
        return None
    return Fault(f"{subject.name}:{lines[0]}", "", folder, subject.file, tuple(lines), chosen)

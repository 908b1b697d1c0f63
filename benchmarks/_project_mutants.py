"""Mutants of published projects: one mistake in a line that the project's tests reach, and a test that fails by it.

What became of a mutant is kept in the cache, so that the same seed finds the same ones quickly.
"""

from __future__ import annotations

import ast
import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from _projects import LeftOut, Project, Suite, ended, laid_out, say
from _truth import Fault, function
from seed_mutants import OPERATORS, Place, mutated, nodes

TRIES = 40
"""Mutants in a row that no test notices, or too many: then the project has no more to give."""
UNSEEN = "[report]\nexclude_lines =\n    nothing is left out^\n"


def faults(project: Project, cache: Path, seed: str, most: int) -> Iterator[tuple[Fault, Suite]]:
    """The mutants of a project one after another, by chance that the seed fixes. LeftOut if it cannot be used."""
    source, known = laid_out(project, cache)
    suite = Suite(known, project.tests, project.path, project.leave_out)
    chance = random.Random(f"{seed} {project.key}")  # noqa: S311  no secret
    possible = candidates(project, source, reached(project, source, suite, cache))
    kept = cache / "outcomes" / f"{project.key}.json"
    outcomes: dict[str, list[str]] = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    number = idle = 0
    while idle < TRIES and (possible := {name: each for name, each in possible.items() if each}):
        operator = chance.choice(sorted(possible))
        file, place = possible[operator].pop(chance.randrange(len(possible[operator])))
        text = (source / file).read_text(encoding="utf-8")
        if (edit := mutated(text, place)) is None:
            continue
        old, new, lines = edit
        folder = cache / "cases" / f"{project.key}-{seed}-{number + 1}"
        key = hashlib.sha256(f"{file}\0{text.replace(old, new)}".encode()).hexdigest()
        copied(source, folder, file, text.replace(old, new))
        if key not in outcomes:
            say(f"{project.name}: {file}:{place.start[0]} {operator}")
            failing = suite.failing(folder, most=most)
            outcomes[key] = failing if failing and len(failing) <= most and usable(failing) else []
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(outcomes, indent=0), encoding="utf-8")
        if not outcomes[key]:
            idle += 1
            continue
        number, idle = number + 1, 0
        test = chance.choice(sorted(outcomes[key]))
        yield Fault(f"{project.name}-{number}", operator, folder, file, tuple(lines), test), suite


def usable(failing: list[str]) -> bool:
    """Whether each is a test that pytest can be given by its id."""
    return all(len(each) < 200 and "\\" not in each for each in failing)


def copied(source: Path, folder: Path, file: str, text: str) -> None:
    """A copy of a project with one file changed; it is left as it is where it is there already."""
    if (folder / file).is_file() and (folder / file).read_text(encoding="utf-8") == text:
        return
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__", "docs"), symlinks=True)
    (folder / file).write_text(text, encoding="utf-8")


def candidates(project: Project, source: Path, lines: dict[str, list[int]]) -> dict[str, list[tuple[str, Place]]]:
    """The places within functions that the tests reach, by operator."""
    found: dict[str, list[tuple[str, Place]]] = {}
    for path in sorted({path for glob in project.sources for path in source.glob(glob)}):
        file = path.relative_to(source).as_posix()
        ran = set(lines.get(file, ()))
        for node in nodes(ast.parse(path.read_text(encoding="utf-8"))) if ran else ():
            for operator in OPERATORS:
                places = [each for each in operator(node) if each.start[0] in ran and function(path, each.start[0])]
                found.setdefault(operator.__name__, []).extend((file, each) for each in places)
    return found


def reached(project: Project, source: Path, suite: Suite, cache: Path) -> dict[str, list[int]]:
    """The lines of each file that the whole suite executes; measured once."""
    kept = cache / "reached" / f"{project.key}.json"
    if not kept.is_file():
        say(f"{project.name}: which lines the tests reach")
        lines = executed(suite, source, cache / "coverage" / project.key)
        if not lines:
            raise LeftOut(f"{project.key}: its tests do not end under coverage")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(lines), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def executed(suite: Suite, folder: Path, scratch: Path, *tests: str) -> dict[str, list[int]]:
    """The lines of each file below a folder that run in some tests; empty if they do not end."""
    data, settings, report = (scratch / name for name in ("data", "settings", "report.json"))
    data.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(UNSEEN, encoding="utf-8")
    options = ["-m", "coverage", "run", f"--rcfile={settings}", f"--data-file={data}", f"--include={folder}/*"]
    suite.pytest(folder, *suite.arguments(*tests), before=options, timeout_s=600)
    command = [str(suite.sides.plain), "-m", "coverage", "json", f"--rcfile={settings}", f"--data-file={data}"]
    ended([*command, "-q", "-i", "-o", str(report)], folder, suite.env(folder), 60)
    found = json.loads(report.read_text(encoding="utf-8"))["files"] if report.is_file() else {}
    report.unlink(missing_ok=True)
    data.unlink(missing_ok=True)
    return {_relative(name, folder): each["executed_lines"] for name, each in found.items()}


def _relative(name: str, folder: Path) -> str:
    path = folder / name
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else name

"""Published projects with their own tests, laid out in a cache outside the repository: sources and environments.

The sources are the releases' own archives, fetched by pip; a project that cannot be fetched or installed, or whose
tests do not pass untouched, is left out with a reason. Each side has an environment of its own that sees the
project's packages and what the side adds, so that plain pytest loads nothing of dap_ai or fauxpy.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from _dap import ROOT

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dap_ai-benchmarks"
PYTEST = ("pytest==9.0.2", "coverage==7.13.0")
FAUXPY = ("fauxpy==0.7.0",)
BUILD_TIMEOUT_S, SUITE_TIMEOUT_S = 600, 180
SITE = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
OPTIONS = ("-q", "-o", "addopts=", "-p", "no:cacheprovider")
"""Of every run of pytest: a project's own configuration holds, but for the options that it adds."""
WHERE = Path(__file__).with_name("_pytest_where.py")


class LeftOut(Exception):  # noqa: N818  not a failure of the script
    """A project that cannot be used, and why."""


@dataclass(frozen=True)
class Project:
    """A release with its tests; paths are relative to its folder."""

    name: str
    version: str
    sources: tuple[str, ...]
    """Globs of the files that mistakes are put into."""
    tests: tuple[str, ...]
    """What pytest is given: the quick part of the suite."""
    needs: tuple[str, ...] = ()
    """Packages that the tests import beside the project's own requirements."""
    path: str = ""
    """The folder that is put on PYTHONPATH."""
    leave_out: tuple[str, ...] = ()
    """Tests that need a network, another clock, or the repository."""

    @property
    def key(self) -> str:
        """Names its folders."""
        return f"{self.name}-{self.version}"


CLICK = tuple(f"tests/test_{each}.py" for each in ("arguments", "basic", "commands", "context", "formatting", "parser"))
DATEUTIL = tuple(
    f"tests/test_{each}.py" for each in ("easter", "isoparser", "parser", "relativedelta", "rrule", "utils")
)
WERKZEUG = tuple(
    f"tests/test_{each}.py" for each in ("datastructures", "formparser", "http", "routing", "urls", "utils")
)
SLOW = ("recipes.py::PrimeFunction", "more.py::DiscreteFourierTransform")
# fmt: off
PROJECTS = (
    Project("more-itertools", "11.2.1", ("more_itertools/*.py",), ("tests",),
            leave_out=tuple(f"tests/test_{each}Tests" for each in SLOW)),
    Project("boltons", "26.2.0", ("boltons/*.py",), ("tests",)),
    Project("toolz", "1.2.0", ("toolz/*.py",), ("toolz/tests",)),
    Project("cachetools", "8.0.2", ("src/cachetools/*.py",), ("tests",), path="src"),
    Project("tomlkit", "0.15.2", ("tomlkit/*.py",), ("tests",), ("pyyaml",)),
    Project("python-dateutil", "4.0.0", ("src/dateutil/**/*.py",), DATEUTIL, ("freezegun", "pytest-cov"), "src"),
    Project("markdown", "3.11.3", ("markdown/**/*.py",), ("tests",), ("pyyaml",),
            leave_out=("tests/test_syntax/extensions/test_md_in_html.py",)),
    Project("humanize", "4.17.0", ("src/humanize/*.py",), ("tests",), ("freezegun",), "src",
            ("tests/test_benchmarks.py",)),
    Project("inflect", "7.6.0", ("inflect/*.py",), ("tests",)),
    Project("jsonschema", "4.26.0", ("jsonschema/*.py",), ("jsonschema/tests",), ("jsonpath-ng",)),
    Project("click", "8.5.1", ("src/click/*.py",), CLICK, path="src"),
    Project("jinja2", "3.1.6", ("src/jinja2/*.py",), ("tests",), ("trio",), "src"),
    Project("werkzeug", "3.1.9", ("src/werkzeug/**/*.py",), WERKZEUG,
            ("pytest-timeout", "ephemeral-port-reserve"), "src"),
    Project("marshmallow", "4.4.0", ("src/marshmallow/*.py",), ("tests",), ("simplejson",), "src"),
    Project("attrs", "26.1.0", ("src/attr/*.py",), ("tests",), ("hypothesis", "cloudpickle"), "src",
            ("tests/test_converters.py::TestPipe::test_wrapped_annotation",)),
    Project("parso", "0.8.7", ("parso/**/*.py",), ("test",)),
    Project("sqlparse", "0.6.1", ("sqlparse/**/*.py",), ("tests",)),
)
# fmt: on


def run(command: Sequence[str | Path], *, cwd: Path | None = None, timeout_s: float = BUILD_TIMEOUT_S) -> str:
    """What a command prints. LeftOut if it fails, with its last line."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        raise LeftOut(f"{' '.join(words[:4])} did not end in {timeout_s:g} s") from None
    if done.returncode:
        raise LeftOut((done.stderr.strip() or done.stdout.strip() or "it failed").splitlines()[-1][:200])
    return done.stdout


def say(text: str) -> None:
    """Progress, on stderr."""
    print(f"· {text}", file=sys.stderr, flush=True)


def environment(folder: Path, packages: Sequence[str], sees: Iterable[Path] = ()) -> Path:
    """The interpreter of an environment, made once: with packages, and seeing other site-packages after its own."""
    python, done = folder / "bin" / "python", folder / "made.json"
    seen = [str(each) for each in sees]
    wanted = json.dumps([list(packages), seen])
    if done.is_file() and done.read_text(encoding="utf-8") == wanted:
        return python
    making = folder.with_name(f"{folder.name}.{os.getpid()}")
    run([sys.executable, "-m", "venv", "--without-pip", making])
    if packages:
        run([sys.executable, "-m", "pip", "--python", making / "bin" / "python", "install", "-q", *packages])
    links = "".join(f"import site; site.addsitedir({each!r})\n" for each in seen)
    (making / SITE / "seen.pth").write_text(links, encoding="utf-8")
    (making / done.name).write_text(wanted, encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    making.rename(folder)
    return python


@dataclass(frozen=True)
class Sides:
    """The interpreters of one project: as its developers have it, with fauxpy, and with dap_ai."""

    plain: Path
    fauxpy: Path
    dap_ai: Path


def sides(cache: Path, key: str, packages: Sequence[str]) -> Sides:
    """The environments of a project. LeftOut if one cannot be made."""
    tools = cache / "tools"
    plain = environment(cache / "env" / key / "plain", (*PYTEST, *packages))
    environment(tools / "fauxpy", (*FAUXPY, PYTEST[0]))
    own = plain.parent.parent / SITE
    return Sides(
        plain,
        environment(cache / "env" / key / "fauxpy", (), (own, tools / "fauxpy" / SITE)),
        environment(cache / "env" / key / "dap_ai", (), (own, dap_ai_site(cache))),
    )


@lru_cache
def dap_ai_site(cache: Path) -> Path:
    """The site-packages of dap_ai as `pip install` lays it out, of this tree as it is now."""
    head = run(["git", "-C", ROOT, "stash", "create"]).strip() or run(["git", "-C", ROOT, "rev-parse", "HEAD"]).strip()
    tree = run(["git", "-C", ROOT, "rev-parse", f"{head}:dap_ai"]).strip()
    folder = cache / "tools" / f"dap_ai-{tree[:12]}"
    if not (folder / "made.json").is_file():
        say("installing dap_ai")
    environment(folder, (str(ROOT),))
    return folder / SITE


def unpacked(project: Project, cache: Path) -> Path:
    """The folder of the release's source, fetched once. LeftOut if it cannot be had."""
    folder = cache / "source" / project.key
    if folder.is_dir():
        return folder
    say(f"fetching {project.key}")
    archives = cache / "archives" / project.key
    wanted = f"{project.name}=={project.version}"
    run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", archives, wanted])
    with tarfile.open(next(archives.glob("*.tar.gz"))) as archive:
        archive.extractall(partial := cache / "partial" / project.key, filter="data")
    folder.parent.mkdir(parents=True, exist_ok=True)
    next(partial.iterdir()).rename(folder)
    return folder


def laid_out(project: Project, cache: Path) -> tuple[Path, Sides]:
    """A project's source and environments, its tests seen to pass. LeftOut with the reason."""
    source = unpacked(project, cache)
    known = sides(cache, project.key, (f"{project.name}=={project.version}", *project.needs))
    passed = cache / "passed" / project.key
    if not passed.is_file():
        say(f"running the tests of {project.key} untouched")
        suite = Suite(known, project.tests, project.path, project.leave_out)
        ran = suite.failing(source)
        passed.parent.mkdir(parents=True, exist_ok=True)
        if ran is None or ran:
            raise LeftOut(f"its tests do not pass untouched: {', '.join(ran[:3]) if ran else 'none ran to the end'}")
        passed.touch()
    return source, known


@dataclass(frozen=True)
class Suite:
    """How the tests of one project are run."""

    sides: Sides
    tests: tuple[str, ...]
    path: str = ""
    leave_out: tuple[str, ...] = ()

    def env(self, folder: Path) -> dict[str, str]:
        """The variables of a run in a folder; what other programs have set for Python is left out."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST", "COVERAGE"))}
        where = os.pathsep.join([str(folder / self.path), str(WHERE.parent)])
        return {**kept, "PYTHONPATH": where, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "NO_COLOR": "1"}

    def arguments(self, *tests: str) -> list[str]:
        """What pytest is given: the project's own configuration, without the options that it adds."""
        left_out = [f"--{'ignore' if each.endswith('.py') else 'deselect'}={each}" for each in self.leave_out]
        return [*OPTIONS, *left_out, *(tests or self.tests)]

    def pytest(
        self,
        folder: Path,
        *arguments: str,
        python: Path | None = None,
        before: Sequence[str] = (),
        timeout_s: float = 0,
    ) -> subprocess.CompletedProcess[str] | None:
        """A run of pytest in a folder; None if it did not end in time."""
        command = [str(python or self.sides.plain), *before, "-m", "pytest", *arguments]
        return ended(command, folder, self.env(folder), timeout_s or SUITE_TIMEOUT_S)

    def failing(self, folder: Path, *tests: str, most: int = 0) -> list[str] | None:
        """The tests that fail, by their ids; None if the run did not end, or did not come to the tests."""
        limit = [f"--maxfail={most + 1}"] if most else []
        done = self.pytest(folder, "-rfE", "--tb=no", *limit, *self.arguments(*tests))
        if done is None or done.returncode not in (0, 1):
            return None
        return [match[2] for match in FAILED.finditer(done.stdout)]


FAILED = re.compile(r"^(FAILED|ERROR) (\S+?\.py::(?:[^\[\n]*?|[^\[\n]*?\[.*?\]))(?: - .*)?$", re.MULTILINE)


def ended(
    command: Sequence[str], folder: Path, env: dict[str, str], timeout_s: float
) -> subprocess.CompletedProcess[str] | None:
    """A process that has ended; None if it was killed, with all that it had started, because it took too long."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return None
    return subprocess.CompletedProcess(list(command), process.returncode, out, err)

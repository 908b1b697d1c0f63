"""Runs a room's tests with and without a mutant, each in a fork of one process that has imported everything.

A mutant of a function's body replaces the code of the functions that exist: it costs a fork. One of a line that has run
while modules were imported (a table, a class, a default) needs them imported anew, in the fork.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pickle
import resource
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeVar

import pytest
from _mutants import Mutant

Key = TypeVar("Key")
Line = tuple[str, int]
"""A file and a line of it, 1-based."""
SURVIVED, KILLED, BROKEN = 0, 1, 3
"""Exit codes of a fork; a signal means that it exceeded a limit."""
WATCHING = "_no_leftover_process"
"""The fixture that looks at all processes of the machine, which costs more than a pure test."""
MOST_BYTES = 2 << 30
"""Maximum bytes of address space that a mutant may add."""
MOST_IMPORT_S = 60.0
"""Maximum seconds until everything is imported anew and the first test begins; a busy machine takes ten."""


@dataclass
class Baseline:
    """What a test does without a mutant."""

    seconds: float = 0.0
    lines: frozenset[Line] = frozenset()


class Recorder:
    """The lines of some files that run between start and stop, in every thread."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = {str(file) for file in files}
        self.lines: set[Line] = set()

    def start(self) -> None:
        """Begins to record."""
        threading.settrace(self._call)
        sys.settrace(self._call)

    def stop(self) -> None:
        """Records no more."""
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]  # typeshed forgets None

    def _call(self, frame: FrameType, _event: str, _argument: object) -> Callable[..., Any] | None:
        return self._line(frame) if frame.f_code.co_filename in self._files else None

    def _line(self, frame: FrameType, *_: object) -> Callable[..., Any]:
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


class Limits:
    """Ends the process of a test that takes far longer than without a mutant."""

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self._seconds = seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 5 + 20 * self._seconds.get(nodeid, 0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os._exit(KILLED)


class Measuring:
    """Records what each test of a file takes and runs; what a fixture that several share runs is of all of them."""

    def __init__(self, recorder: Recorder, failure: Path) -> None:
        self._recorder, self._failure = recorder, failure
        self._shared: set[Line] = set()
        self._found: dict[str, tuple[float, set[Line]]] = {}
        self._start = 0.0

    def pytest_runtest_logstart(self) -> None:
        self._recorder.lines, self._start = set(), time.process_time()
        self._recorder.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        before = self._recorder.lines
        if fixturedef.scope != "function":
            self._recorder.lines = set()
        result = yield
        if fixturedef.scope != "function":
            self._shared |= self._recorder.lines
            self._recorder.lines = before
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failure.write_text(f"{report.nodeid}\n{report.longreprtext}", encoding="utf-8")
            os._exit(KILLED)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._recorder.stop()
        self._found[nodeid] = time.process_time() - self._start, self._recorder.lines

    def result(self) -> dict[str, Baseline]:
        """Returns the baseline of each recorded test, by its id."""
        return {name: Baseline(spent, frozenset(lines | self._shared)) for name, (spent, lines) in self._found.items()}


@dataclass
class Runs:
    """A pytest plugin that runs each collected test once, and then mutants, instead of the tests."""

    files: Sequence[Path]
    package: str
    """The name of the imported package, "dap_ai"; it and "tests" are imported anew where that is needed."""
    mutants: Sequence[Mutant]
    folder: Path
    """A folder for temporary files of the run."""
    jobs: int
    progress: Callable[[str], None]
    imports: Recorder
    """Records lines that run at import; stops when the tests are collected."""
    arguments: Sequence[str]
    """Arguments for pytest."""
    killed: dict[int, bool] = field(default_factory=dict[int, bool])
    """Whether each mutant was killed, by its number."""
    reached: dict[int, int] = field(default_factory=dict[int, int])
    """How many tests a mutant was tried with."""
    tests: int = 0
    seconds: float = 0.0
    """Time of all tests without a mutant."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            names: list[str] = getattr(item, "fixturenames", [])
            names[:] = [name for name in names if name != WATCHING]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.imports.stop()
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # noqa: SLF001  made once, before all forks
        functions = living({str(file) for file in self.files})
        gc.freeze()
        baselines = self._baselines(session.items)
        self.tests, self.seconds = len(baselines), sum(each.seconds for each in baselines.values())
        by_id = {item.nodeid: item for item in session.items}
        seconds = {name: each.seconds for name, each in baselines.items()}

        def trial(mutant: Mutant, chosen: Sequence[str]) -> Callable[[], int]:
            def run() -> int:
                if not self._is_import(mutant) and swapped(mutant, functions):
                    return run_tests([by_id[name] for name in chosen], Limits(seconds))
                return self._anew(mutant, chosen, Limits(seconds))

            return run

        tasks: list[tuple[int, Callable[[], int]]] = []
        for number, mutant in enumerate(self.mutants):
            chosen = sorted(self._chosen(mutant, baselines), key=seconds.__getitem__)
            self.reached[number] = len(chosen)
            self.killed[number] = False
            if chosen:
                tasks.append((number, trial(mutant, chosen)))
        for done, (number, status) in enumerate(forked(tasks, self.jobs), 1):
            if status == BROKEN:
                raise RuntimeError(f"a fork failed with {self.mutants[number]}")
            self.killed[number] = status != SURVIVED
            self.progress(f"{done} of {len(tasks)} mutants, {sum(self.killed.values())} killed")
        return True

    def _baselines(self, items: Sequence[pytest.Item]) -> dict[str, Baseline]:
        """Each test without a mutant; those of a file in one fork, as they share what their modules keep."""
        found: dict[str, Baseline] = {}
        failure = self.folder / "failure"
        by_file = {path: list(group) for path, group in groupby(items, lambda item: item.path)}
        tasks = [(path, self._measured(group, number, failure)) for number, (path, group) in enumerate(by_file.items())]
        for number, (path, status) in enumerate(forked(tasks, self.jobs), 1):
            if status != SURVIVED:
                text = failure.read_text(encoding="utf-8") if failure.is_file() else str(path)
                raise pytest.UsageError(f"a test fails without a mutant: {text}")
            self.progress(f"{number} of {len(by_file)} files of tests without a mutant")
        for number in range(len(by_file)):
            found.update(pickle.loads((self.folder / f"{number}").read_bytes()))  # noqa: S301  ours
        return found

    def _measured(self, items: Sequence[pytest.Item], number: int, failure: Path) -> Callable[[], int]:
        def run() -> int:
            measuring = Measuring(Recorder(self.files), failure)
            status = run_tests(items, measuring)
            (self.folder / f"{number}").write_bytes(pickle.dumps(measuring.result()))
            return status

        return run

    def _is_import(self, mutant: Mutant) -> bool:
        return mutant.function is None or any((str(mutant.file), line) in self.imports.lines for line in mutant.lines)

    def _chosen(self, mutant: Mutant, baselines: Mapping[str, Baseline]) -> list[str]:
        """The tests that run the place; where importing runs it, those that run or import its module or its users."""
        if not self._is_import(mutant):
            places = {(str(mutant.file), line) for line in mutant.lines}
            return [name for name, each in baselines.items() if not places.isdisjoint(each.lines)]
        module = mutant.file.parent.name if mutant.file.stem == "__init__" else mutant.file.stem
        users = {str(each) for each in self.files if each == mutant.file or imports(each, module)}
        files = {name.partition("::")[0] for name in baselines}
        importers = {name for name in files if imports(Path(name), module)}  # a test of a table runs no line of it
        return [
            name
            for name, each in baselines.items()
            if name.partition("::")[0] in importers or any(file in users for file, _ in each.lines)
        ]

    def _anew(self, mutant: Mutant, chosen: Sequence[str], limits: Limits) -> int:
        """Imports everything again with the mutant, and runs these tests."""
        for name in list(sys.modules):
            if name.partition(".")[0] in (self.package, "tests"):
                del sys.modules[name]
        sys.meta_path.insert(0, Finder(mutant))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, MOST_IMPORT_S)  # an import may hang as well
        try:
            basetemp = f"--basetemp={self.folder / f'anew-{os.getpid()}'}"
            # pytest's own importer, which takes the package for a plugin's, would come before the mutant's
            status = pytest.main([*self.arguments, "--assert=plain", basetemp, *chosen], [limits])
        except BaseException:  # noqa: BLE001  a plugin that can't be imported
            return KILLED
        return SURVIVED if status == pytest.ExitCode.OK else KILLED


def run_tests(items: Sequence[pytest.Item], plugin: object) -> int:
    """Runs tests in this process with a plugin, to the first that fails: with it the plugin ends the process."""
    config = items[0].config
    factory: Any = vars(config)["_tmp_path_factory"]  # forks must not compete for names
    own = Path(str(factory.getbasetemp())) / f"fork-{os.getpid()}"
    own.mkdir()
    factory._basetemp = own  # noqa: SLF001
    for reporter in ("terminalreporter", "seconds"):
        config.pluginmanager.unregister(name=reporter)
    config.pluginmanager.register(plugin)
    for item, following in zip(items, [*items[1:], None], strict=True):
        config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return SURVIVED


def imports(file: Path, module: str) -> bool:
    """Whether a file imports a module of that name."""
    text = file.read_text(encoding="utf-8")
    return any(found in text for found in (f".{module} import ", f"import {module}", f"\n    {module},\n"))


def living(files: set[str]) -> dict[tuple[str, str, int], list[FunctionType]]:
    """The functions of some files that exist, by file, name and first line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename in files:
            found[each.__code__.co_filename, each.__code__.co_name, each.__code__.co_firstlineno].append(each)
    return found


def swapped(mutant: Mutant, functions: Mapping[tuple[str, str, int], Sequence[FunctionType]]) -> bool:
    """Gives the mutant's code to the functions that exist; False if there are none, or it has other free variables."""
    assert mutant.function
    found = functions.get((str(mutant.file), *mutant.function), ())
    code = next(
        each
        for each in codes(compile(mutant.source, str(mutant.file), "exec", dont_inherit=True))
        if (each.co_name, each.co_firstlineno) == mutant.function
    )
    if not found or any(each.__code__.co_freevars != code.co_freevars for each in found):
        return False
    for each in found:
        each.__code__ = code
    for inner in codes(code):  # such as what a decorator has made while modules were imported
        made = functions.get((str(mutant.file), inner.co_name, inner.co_firstlineno), ())
        if inner.co_name != "<lambda>" and all(each.__code__.co_freevars == inner.co_freevars for each in made):
            for each in made:
                each.__code__ = inner
    return True


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes(each)


class Finder(importlib.abc.MetaPathFinder):
    """Imports a mutant in its module's place."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, fullname: str, path: Sequence[str] | None, _target: object = None) -> Any:
        """The module's spec, with the mutant's source; None of all other modules."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is None or spec.origin != str(self._mutant.file):
            return None
        loader = Loader(fullname, str(self._mutant.file))
        loader.source = self._mutant.source
        return importlib.util.spec_from_file_location(fullname, self._mutant.file, loader=loader)


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles a text instead of its file."""

    source: str

    def get_code(self, _fullname: str) -> CodeType:  # type: ignore[override]
        """The mutant's code; nothing is written to a cache."""
        return compile(self.source, self.path, "exec", dont_inherit=True)


def forked(tasks: Iterable[tuple[Key, Callable[[], int]]], jobs: int) -> Iterator[tuple[Key, int]]:
    """Runs each task in a fork, some at once; their exit codes as they end, negative: the signal that ended one."""
    running: dict[int, Key] = {}
    waiting = iter(tasks)
    while True:
        for key, task in waiting:
            if pid := os.fork():
                running[pid] = key
            else:
                _child(task)
            if len(running) == jobs:
                break
        if not running:
            return
        pid, status = os.wait()
        if pid in running:
            yield running.pop(pid), os.waitstatus_to_exitcode(status)


def _child(task: Callable[[], int]) -> None:
    status = BROKEN
    with contextlib.suppress(BaseException):
        os.setpgid(0, 0)
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, used + MOST_BYTES))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        status = task()
    os._exit(status)

"""What every test gets: no network but loopback, a home of its own, and no process that outlives it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import hypothesis  # its lazy import inside a garbage collection crashes CPython 3.11's ast.parse
import psutil
import pytest

from tests.patience import patient
from tests.seconds import Seconds

TESTS = Path(__file__).parent
ROOT = TESTS.parent
DEBUGGEE_PYTHONS = [f"3.{minor}" for minor in range(8, 16)]
DIFFERING_PYTHONS = ["3.8", "3.11", "3.12", "3.15"]
LEFTOVER_GRACE_S = 3.0
RUN_MARK = "DAP_AI_TEST_RUN"
_RUSTUP = os.environ.get("RUSTUP_HOME") or str(Path.home() / ".rustup")

collect_ignore = ["debuggees", "corpus"]

# An example that takes long on a busy machine proves nothing, and neither does a generator that is slow there.
hypothesis.settings.register_profile("busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("busy")


class Debuggee(NamedTuple):
    """A program of tests/debuggees. Lines are 1-based."""

    path: Path
    lines: dict[str, int]
    """Line of each `# @bp NAME`; a bare `# @bp` is named "bp"."""

    @property
    def line(self) -> int:
        """The first marked line."""
        return min(self.lines.values())


def _is_local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket
    host = str(cast("tuple[Any, ...]", address)[0])
    return host in ("localhost", "::1", "") or host.startswith("127.")


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that would leave the machine fails the test that makes it."""
    for name in ("connect", "connect_ex"):
        real = getattr(socket.socket, name)

        def guarded(self: socket.socket, address: Any, real: Callable[..., Any] = real) -> Any:
            if not _is_local(address):
                pytest.fail(f"a test tried to connect to {address!r}")
            return real(self, address)

        monkeypatch.setattr(socket.socket, name, guarded)


def _at_home(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """No setting or key of the person who runs the tests reaches dap_ai."""
    for name in list(os.environ):
        if name.startswith(("DAP_AI_", "OPENAI_", "XDG_", "PYDEVD", "DEBUGPY")) and name != RUN_MARK:
            monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)  # activated: `python3` may be the script of a version manager
    monkeypatch.setenv("RUSTUP_HOME", _RUSTUP)  # without its toolchains the rustc of rustup compiles nothing
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # a pytest that is debugged needs none of ours
    monkeypatch.setenv("DAP_AI_SOCKETS", "off")  # a proxy that a test kills cannot remove its socket


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home."""
    home = tmp_path_factory.mktemp("home")
    _at_home(monkeypatch, home)
    return home


@pytest.fixture(scope="module", autouse=True)
def _home_of_fixtures(_started: _Started, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The same for the fixtures that several tests share."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        _at_home(monkeypatch, tmp_path_factory.mktemp("home"))
        yield


class _Started:
    """The processes that this run of the tests has started: its descendants, and what carries its mark.

    The mark in their environment tells those too whose parent has gone. It looks again only after a process has been
    started, so that it costs a pure test nothing.
    """

    def __init__(self) -> None:
        self.mark = f"{os.getpid()}-{psutil.Process().create_time()}"
        self._starts = 1
        self._looked_at = 0
        self._found: set[psutil.Process] = set()
        sys.addaudithook(self._audit)

    def running(self) -> set[psutil.Process]:
        """Those that run, or ran when it looked last."""
        if self._looked_at != self._starts:
            self._looked_at = self._starts
            marked = {process for process in psutil.process_iter() if self._is_marked(process)}
            self._found = marked.union(psutil.Process().children(recursive=True)) - {psutil.Process()}
        return self._found

    def _audit(self, event: str, _arguments: object) -> None:
        if event in {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"}:
            self._starts += 1

    def _is_marked(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get(RUN_MARK) == self.mark
        except (psutil.Error, OSError):
            return False  # ended meanwhile, or not ours to read


def _end(processes: list[psutil.Process]) -> str:
    """Kills them; what they were."""
    described: list[str] = []
    for process in processes:
        with contextlib.suppress(psutil.Error):
            described.append(f"{process.pid} {' '.join(process.cmdline())[:160]}")
            process.kill()
    psutil.wait_procs(processes, timeout=patient(LEFTOVER_GRACE_S))
    return "\n".join(described)


@pytest.fixture(scope="session")
def _started() -> Iterator[_Started]:
    started = _Started()
    os.environ[RUN_MARK] = started.mark
    yield started
    del os.environ[RUN_MARK]


@pytest.fixture(autouse=True)
def _no_leftover_process(_started: _Started) -> Iterator[None]:
    """Every process that a test started has ended when it ends, orphans included."""
    before = _started.running()
    yield
    _, alive = psutil.wait_procs(_started.running() - before, timeout=patient(LEFTOVER_GRACE_S))
    left = _end(alive)
    assert not left, f"left running:\n{left}"


@pytest.fixture
def without_modules(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes modules as if their packages were not installed."""

    def leave_out(*names: str) -> None:
        for name in names:
            monkeypatch.setitem(sys.modules, name, None)

    return leave_out


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def python_versions() -> dict[str, Path]:
    """Interpreters with debugpy that dev.py has prepared, by version ("3.8"); always the one that runs the tests."""
    found = {"{}.{}".format(*sys.version_info): Path(sys.executable)}
    for version in DEBUGGEE_PYTHONS:
        for name in ("bin/python", "Scripts/python.exe"):
            python = ROOT / ".venvs" / f"py{version}" / name
            if version not in found and python.exists():
                found[version] = python
    return found


@pytest.fixture(scope="module", params=DEBUGGEE_PYTHONS)
def debuggee_python(request: pytest.FixtureRequest, python_versions: dict[str, Path]) -> Path:
    """Each Python a debuggee may run, in turn."""
    return _of_version(request, python_versions)


@pytest.fixture(scope="module", params=DIFFERING_PYTHONS)
def differing_python(request: pytest.FixtureRequest, python_versions: dict[str, Path]) -> Path:
    """Each Python that changed frames or tracing, in turn; for tests that take seconds in each."""
    return _of_version(request, python_versions)


def _of_version(request: pytest.FixtureRequest, python_versions: dict[str, Path]) -> Path:
    if request.param not in python_versions:
        pytest.skip(f"no Python {request.param} here")
    return python_versions[request.param]


def marked_lines(source: str) -> dict[str, int]:
    """1-based lines that carry `# @bp` or `# @bp NAME`."""
    marks: dict[str, int] = {}
    for number, line in enumerate(source.splitlines(), 1):
        if mark := re.search(r"# @bp(?: (\w+))?", line):
            marks[mark[1] or "bp"] = number
    return marks


@pytest.fixture
def debuggee() -> Callable[..., Debuggee]:
    """`debuggee("purity")`: that program; `debuggee("purity", at=path)`: a copy of it there."""

    def find(name: str, at: Path | None = None) -> Debuggee:
        path = TESTS / "debuggees" / (name if "." in name else f"{name}.py")
        if at is not None:
            at.parent.mkdir(parents=True, exist_ok=True)
            path = Path(shutil.copyfile(path, at))
        return Debuggee(path, marked_lines(path.read_text(encoding="utf-8")))

    return find


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-seconds", action="store_true", help="write the seconds of each folder to CONTRIBUTING.md")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the one process that hears of all tests
        config.pluginmanager.register(Seconds(), "seconds")

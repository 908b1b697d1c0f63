"""A native program or a core file that is to be debugged: what the file is, and how each adapter starts it."""

from __future__ import annotations

import os
import re
import shlex
import stat
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from dap_ai.backends.native import cores
from dap_ai.backends.native.build import SUFFIXES
from dap_ai.backends.native.elf import binary_of

Adapter = Literal["lldb", "gdb"]

_MAGIC = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa")
_OBJECT_FILE, _CORE_FILE = 1, 4
_PYTHON = re.compile(r"(python|pypy)[\d.]*(-dbg|d|t)?(\.exe)?", re.IGNORECASE)
_STDIO_SINCE = 22


class NativeProgram(msgspec.Struct, frozen=True):
    """An executable file. `path` and `cwd` are absolute."""

    path: str
    arguments: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    source: str = ""
    """The file that it has been compiled from, as it was named."""
    settings: Mapping[str, str] = {}
    """What we add to `env`."""

    @property
    def name(self) -> str:
        """What a person calls it."""
        return Path(self.source or self.path).name

    def command_line(self) -> str:
        """What runs, as it would be typed without us."""
        env = [f"{key}={value}" for key, value in self.env.items()]
        return shlex.join([*env, self.path, *self.arguments])

    def launch_arguments(self, adapter: Adapter, capabilities: Mapping[str, Any]) -> dict[str, Any]:
        """Of the `launch` request: it reads our stdin, what it writes comes in `output` events."""
        arguments: dict[str, Any] = {"name": self.name, "program": self.path, "cwd": self.cwd}
        words, env, stdin = list(self.arguments), {**self.env, **self.settings}, stdin_path()
        if adapter == "gdb":
            if env:
                arguments["env"] = {**os.environ, **env}  # nothing is added to it
            # A list is quoted for the shell that starts the program; a text is that shell's.
            return arguments | {"args": f"{shlex.join(words)} < {shlex.quote(stdin)}" if stdin else words}
        arguments |= {"args": words, "env": [f"{key}={value}" for key, value in env.items()]}
        if stdin and _lldb_version(capabilities) >= _STDIO_SINCE:
            arguments["stdio"] = [stdin, None, None]  # lldb-dap 22 takes the last one for all that follow
        elif stdin:
            arguments["launchCommands"] = [f"process launch -s -i {stdin}"]
        return arguments

    def why_no_stop(self, status: int) -> str:
        """The line for who expected a stop. `status` is the program's, as a shell gives it."""
        if status > 128:
            return (
                "The program did not stop: it was ended by a signal that no debugger can intercept "
                "(SIGKILL), or by one of ours."
            )
        return (
            "The program did not stop: no signal, no failed assertion, no breakpoint reached. To "
            f"stop it: -b FILE:LINE.{self._wider()}"
        )

    def _wider(self) -> str:
        binary = binary_of(self.path)
        if self.settings or self.source.endswith(".rs") or (binary and binary.sanitizers):
            return ""
        way = f"dap-ai ask --sanitize address {self.source}" if self.source else "compile with -fsanitize=address."
        return f" Memory errors that went unnoticed: {way}"


class Core(msgspec.Struct, frozen=True):
    """A core file and the program that left it; both absolute. An empty `program` is found by the core itself."""

    file: str
    program: str = ""


def is_native(path: Path) -> bool:
    """Whether this file is machine code for some system."""
    try:
        with path.open("rb") as file:
            return file.read(4).startswith(_MAGIC)
    except OSError:
        return False


def is_source(path: Path) -> bool:
    """Whether this is a source file that is compiled first."""
    return path.suffix in SUFFIXES and path.is_file()


def runs_python(pid: int) -> bool:
    """Whether a process runs a Python interpreter; True too where nobody can tell: then debugpy says what is wrong."""
    import psutil  # noqa: PLC0415  20 ms that only --pid needs

    try:
        name = Path(psutil.Process(pid).exe()).name
    except (psutil.Error, OSError):
        return True
    return not name or bool(_PYTHON.fullmatch(name))


def find_native(name: str) -> str:
    """The absolute path of a native PROGRAM. Raises UsageError if it cannot be run here."""
    path = Path(name)
    if problem := _problem(path):
        raise click.UsageError(problem)
    return os.path.abspath(path)  # noqa: PTH100  resolving links would change what the program is called


def find_core(name: str, words: Sequence[str]) -> Core:
    """What `--core FILE [PROGRAM]` names. Raises UsageError."""
    if len(words) > 1:
        raise click.UsageError(
            "--core takes the program that left the core file and no arguments: the program is not run again."
        )
    path = Path(name)
    kind, _machine = _elf(path)
    if kind is not None and kind != _CORE_FILE:
        hint = f" Did you mean: --core CORE {path}?" if not words else ""
        raise click.UsageError(f"{path} is a program, not a core file.{hint}")
    if kind is None and is_native(path):
        raise click.UsageError(f"{path} is not a core file.")
    program = Path(words[0]) if words else None
    if program and not is_native(program):
        raise click.UsageError(f"{program} is not a native program.")
    named = str(program.absolute()) if program else cores.executable_of_core(str(path))
    found = cores.origin_of(str(path), named) if named else None
    if found and found.same is False:
        raise click.UsageError(found.text)
    return Core(str(path.absolute()), str(program.absolute()) if program else "")


def stdin_path() -> str:
    """A path at which the program can open our stdin; `/dev/null` if there is none; empty: as the adapter has it."""
    if sys.platform == "win32":
        return ""
    try:
        mode = os.fstat(0).st_mode
        if os.isatty(0):
            return os.ttyname(0)
    except OSError:
        return os.devnull
    here = f"/proc/{os.getpid()}/fd/0"
    return os.devnull if stat.S_ISSOCK(mode) or not os.path.exists(here) else here  # noqa: PTH110  Path follows the link


def stdin_note() -> str:
    """What the user must know of the program's input; empty: it is ours."""
    if stdin_path() != os.devnull:
        return ""
    try:
        is_empty = os.path.samestat(os.fstat(0), os.stat(os.devnull))  # noqa: PTH116  compared as it is
    except OSError:
        is_empty = True
    return "" if is_empty else "the program's input is empty: the input of dap-ai cannot be opened a second time"


def exception_filters(wanted: Sequence[str], announced: Sequence[str]) -> list[str]:
    """The filters of an adapter that stand for ours: `raised` is C++'s throw; a signal always stops."""
    throws = [name for name in ("cpp_throw", "throw") if name in announced]
    return throws[:1] if "raised" in wanted else []


def _problem(path: Path) -> str:
    kind, machine = _elf(path)
    ours = _elf(Path(sys.executable))[1]
    if kind == _CORE_FILE:
        return f"{path} is a core file: dap-ai ask --core {path} [PROGRAM]."
    if kind == _OBJECT_FILE:
        return f"{path} is an object file, not a program: link it first."
    if machine and ours and machine != ours:
        return f"{path} is made for another processor (ELF machine {machine}; this one is {ours}): it cannot run here."
    if not os.access(path, os.X_OK):
        return f"{path} is not executable: chmod +x {path}."
    return ""


def _elf(path: Path) -> tuple[int | None, int]:
    """The type and machine of an ELF file; None, 0: it is none."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return None, 0
    if len(head) < 20 or not head.startswith(b"\x7fELF"):
        return None, 0
    kind, machine = struct.unpack_from(">HH" if head[5] == 2 else "<HH", head, 16)
    return kind, machine


def _lldb_version(capabilities: Mapping[str, Any]) -> int:
    """The major version that lldb-dap tells in its capabilities; up to 19 in another key than later ones."""
    found = re.search(
        r"lldb version (\d+)", str(capabilities.get("$__lldb_version") or capabilities.get("__lldb") or "")
    )
    return int(found[1]) if found else _STDIO_SINCE

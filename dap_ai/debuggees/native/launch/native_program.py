"""Native programs and core files to debug: the type of the file, and the arguments for each debug adapter."""

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
    """An executable file to debug. `path` and `cwd` are absolute."""

    path: str
    arguments: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    source: str = ""
    """The source file that dap_ai compiled, as the user named it; empty if dap_ai compiled nothing."""
    settings: Mapping[str, str] = {}
    """Environment variables that dap_ai adds to `env`."""

    @property
    def name(self) -> str:
        """File name of the program or its source, to show to a person."""
        return Path(self.source or self.path).name

    def command_line(self) -> str:
        """Return the command line that runs the program without dap_ai."""
        env = [f"{key}={value}" for key, value in self.env.items()]
        return shlex.join([*env, self.path, *self.arguments])

    def launch_arguments(self, adapter: Adapter, capabilities: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the `launch` request.

        The program reads dap_ai's stdin and writes to `output` events.
        """
        arguments: dict[str, Any] = {"name": self.name, "program": self.path, "cwd": self.cwd}
        words, env, stdin = list(self.arguments), {**self.env, **self.settings}, stdin_path()
        if adapter == "gdb":
            if env:
                arguments["env"] = {**os.environ, **env}  # the adapter adds nothing to it
            # gdb quotes a list for the shell that starts the program, and gives a string to that shell as it is.
            return arguments | {"args": f"{shlex.join(words)} < {shlex.quote(stdin)}" if stdin else words}
        arguments |= {"args": words, "env": [f"{key}={value}" for key, value in env.items()]}
        if stdin and _lldb_version(capabilities) >= _STDIO_SINCE:
            arguments["stdio"] = [stdin, None, None]  # lldb-dap 22 uses the last entry for all that follow
        elif stdin:
            arguments["launchCommands"] = [f"process launch -s -i {stdin}"]
        return arguments

    def why_no_stop(self, status: int) -> str:
        """Explain why the program did not stop. `status` is its exit status, as a shell reports it."""
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
    """A core file and the program that left it, as absolute paths.

    If `program` is empty, the core file names the program.
    """

    file: str
    program: str = ""


def is_native(path: Path) -> bool:
    """Whether a file is machine code, of this or any other operating system."""
    try:
        with path.open("rb") as file:
            return file.read(4).startswith(_MAGIC)
    except OSError:
        return False


def is_source(path: Path) -> bool:
    """Whether a file is a source file that must be compiled first."""
    return path.suffix in SUFFIXES and path.is_file()


def runs_python(pid: int) -> bool:
    """Whether a process runs Python. True also if this is unknown, since debugpy then explains what is wrong."""
    import psutil  # noqa: PLC0415  20 ms that only --pid needs

    try:
        name = Path(psutil.Process(pid).exe()).name
    except (psutil.Error, OSError):
        return True
    return not name or bool(_PYTHON.fullmatch(name))


def find_native(name: str) -> str:
    """Return the absolute path of a native program. Raises UsageError if the program cannot run here."""
    path = Path(name)
    if problem := _problem(path):
        raise click.UsageError(problem)
    return os.path.abspath(path)  # noqa: PTH100  resolving links would change the program's name


def find_core(name: str, words: Sequence[str]) -> Core:
    """Return the core file and the program that `--core FILE [PROGRAM]` names. Raises UsageError."""
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
    """Return a path that opens dap_ai's stdin, or `/dev/null` if dap_ai has no stdin that can be opened.

    An empty path leaves the choice to the adapter.
    """
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
    """Return a note for the user if the program cannot read dap_ai's input; otherwise an empty string."""
    if stdin_path() != os.devnull:
        return ""
    try:
        is_empty = os.path.samestat(os.fstat(0), os.stat(os.devnull))  # noqa: PTH116  compared as it is
    except OSError:
        is_empty = True
    return "" if is_empty else "the program's input is empty: the input of dap-ai cannot be opened a second time"


def exception_filters(wanted: Sequence[str], announced: Sequence[str]) -> list[str]:
    """Translate dap_ai's exception filters to the adapter's.

    `raised` becomes C++'s throw; a signal stops without a filter.
    """
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
    """Return the type and machine number of an ELF file; (None, 0) for any other file."""
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
    """Return lldb-dap's major version, read from its capabilities. Versions up to 19 use another key."""
    found = re.search(
        r"lldb version (\d+)", str(capabilities.get("$__lldb_version") or capabilities.get("__lldb") or "")
    )
    return int(found[1]) if found else _STDIO_SINCE

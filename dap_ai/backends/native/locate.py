"""Finds debug adapters for native programs, and their formatters: beside dap_ai first, then on PATH."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from dap_ai.protocol.contracts.backend import StartError
from dap_ai.system import programs
from dap_ai.system.extras import NATIVE

LLDB_DAP_SETTING, GDB_SETTING = "DAP_AI_LLDB_DAP", "DAP_AI_GDB"
"""The environment variables that set the paths of lldb-dap and gdb."""
GDB_WITH_DAP = 14
"""The first major version of gdb that supports DAP."""
_LLDB_MAJORS = range(30, 17, -1)
_VSCODE_MAJORS = range(17, 12, -1)
_LLDB_FOLDERS = (
    *(f"/usr/lib/llvm-{major}/bin" for major in _LLDB_MAJORS),
    "/opt/homebrew/opt/llvm/bin",
    "/Library/Developer/CommandLineTools/usr/bin",
)
"""Folders in which to look for lldb-dap if it is not on PATH."""
_VERSION = re.compile(r"(?:(?:lldb|LLVM) version |GNU gdb [^\n]*\) )(\d+)")
_VERSION_S = 20.0


def lldb_dap() -> str:
    """Return the path of lldb-dap: the configured one, or the first found. Raises StartError with how to install it."""
    return _lldb_dap(os.environ.get(LLDB_DAP_SETTING, ""), programs.search_path())


def gdb() -> str:
    """Return the path of a gdb that supports DAP. Raises StartError with how to install gdb."""
    return _gdb(os.environ.get(GDB_SETTING, ""), programs.search_path())


def version_of(path: str) -> int:
    """Return the major version of the lldb-dap or gdb at `path`; 0 if unknown.

    lldb-dap up to 19 has no --version: its version is then taken from its file name, or from the folder that a link
    leads to.
    """
    told = _major_version(path)
    if told:
        return told
    named = re.search(r"-(\d+)(?:\.exe)?$", path) or re.search(r"llvm-(\d+)", os.path.realpath(path))
    return int(named[1]) if named else 0


@cache
def _lldb_dap(chosen: str, path: str) -> str:
    names = ["lldb-dap", *(f"lldb-dap-{major}" for major in _LLDB_MAJORS)]
    inside = [f"{folder}/lldb-dap" for folder in _LLDB_FOLDERS]
    older = ["lldb-vscode", *(f"lldb-vscode-{major}" for major in _VSCODE_MAJORS)]
    for name in [chosen] if chosen else [*names, *inside, *older]:
        if program := programs.locate(name, path):
            return program
    if chosen:
        raise StartError(f"{LLDB_DAP_SETTING} is {chosen}, and there is no such program.")
    raise StartError(f"there is no lldb-dap. {_advice('lldb')}.")


@cache
def _gdb(chosen: str, path: str) -> str:
    """Return the path of the first gdb that supports DAP.

    Does not ask the gdb beside us for its version: pip installs none that is too old, and asking takes 100 ms.
    """
    problem = f"{GDB_SETTING} is {chosen}, and there is no such program" if chosen else "there is no gdb"
    installed = str(Path(sys.prefix) / "bin") if sys.prefix != sys.base_prefix else ""
    for folder in path.split(os.pathsep):
        if program := programs.locate(chosen or "gdb", folder):
            version = GDB_WITH_DAP if str(Path(program).parent) == installed else _major_version(program)
            if version >= GDB_WITH_DAP:
                return program
            problem = f"{program} is gdb {version or 'of an unknown version'}, which does not speak DAP"
    advice = _advice("gdb")
    raise StartError(f"{problem}: {GDB_WITH_DAP} or later is needed. {advice}.")


def _major_version(path: str) -> int:
    """Return the major version that the program prints for `--version`; 0 if unknown."""
    try:
        done = subprocess.run(  # noqa: S603  a debugger, asked for its version
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = _VERSION.search(done.stdout + done.stderr)
    return int(found[1]) if found and not done.returncode else 0


def rust_formatters() -> Path | None:
    """Return the folder with the scripts with which lldb and gdb show Rust's strings and containers.

    None if Rust is not installed.
    """
    for toolchain in _rust_toolchains():
        folder = toolchain / "lib" / "rustlib" / "etc"
        if (folder / "lldb_lookup.py").is_file():
            return folder
    return None


def _rust_toolchains() -> list[Path]:
    """Return the folders of Rust's toolchains: rustup's default, its other toolchains, the system's.

    Does not run rustc, which takes 50 ms.
    """
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    try:
        chosen = re.search(r'default_toolchain\s*=\s*"([^"]+)"', (home / "settings.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        chosen = None
    toolchains = [home / "toolchains" / chosen[1]] if chosen else []
    toolchains += sorted((home / "toolchains").glob("*"), reverse=True)
    rustc = programs.locate("rustc")
    return [*toolchains, *([Path(rustc).resolve().parents[1]] if rustc else [])]


def gdb_script_folders() -> list[str]:
    """Return folders with the scripts with which gdb shows the types of a library (libstdc++).

    Their subfolders mirror the file system.
    """
    prefixes = [Path("/usr")]
    if compiler := programs.locate("g++"):
        prefixes.append(Path(compiler).resolve().parents[1])
    folders = [prefix / "share" / "gdb" / "auto-load" for prefix in prefixes]
    return list(dict.fromkeys(str(folder) for folder in folders if folder.is_dir()))


def gdb_library_folders() -> list[str]:
    """Return folders in which a compiler with its own prefix keeps gdb scripts beside its libraries."""
    compiler = programs.locate("g++")
    prefix = Path(compiler).resolve().parents[1] if compiler else Path("/usr")
    if prefix == Path("/usr"):
        return []
    libraries = (prefix / name for name in ("lib64", "lib"))
    return [str(folder) for folder in libraries if any(folder.glob("libstdc++.so*-gdb.py"))]


def _advice(package: str) -> str:
    return f"{NATIVE.install}, or your distribution's package {package}"

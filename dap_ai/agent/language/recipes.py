"""Builds the command line and the settings with which to start each language server."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dap_ai.agent.language import clang
from dap_ai.system import child_python, programs
from dap_ai.system.extras import DEFINITIONS

Family = Literal["python", "clang", "rust"]
"""Group of languages that one language server handles."""
_FAMILIES: Mapping[str, Family] = {"python": "python", "c": "clang", "cpp": "clang", "rust": "rust"}
_QUIET_RUST = {
    "cargo": {"buildScripts": {"enable": False}},
    "procMacro": {"enable": False},
    "checkOnSave": False,
    "cachePriming": {"enable": False},
}
"""Options that keep rust-analyzer from compiling or running the workspace's code."""


@dataclass(frozen=True)
class ServerRecipe:
    """The command line and settings of a language server for one workspace."""

    argv: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Value of `initializationOptions` in the `initialize` request."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables to add to those of this process."""
    configuration: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings by section, for servers that request their configuration."""
    probe: tuple[str, str] | None = None
    """Name and text of a test file. The server counts as started when it has answered a request about this file."""
    command: Callable[[str, str], tuple[str, list[str]] | None] | None = None
    """Function that takes (path, language) and returns the (folder, command) that compiles the file. None if the server
    needs no compile commands.
    """


def family_of(language: str) -> Family | None:
    """Returns the language family for a name from `source_files.language_of`.

    None if no server handles the language.
    """
    return _FAMILIES.get(language)


def name_of(family: Family) -> str:
    """Returns the display name of a family's language server."""
    return {"python": "jedi-language-server", "clang": "clangd", "rust": "rust-analyzer"}[family]


def is_installed(family: Family = "python") -> bool:
    """Whether the language server of a family is installed."""
    return not why_not_installed(family)


def why_not_installed(family: Family) -> str:
    """Returns what is missing to start the language server; empty if nothing is missing.

    If one of dap_ai's own extras is missing, returns how to install it.
    """
    if "pygls" in DEFINITIONS.missing:
        return DEFINITIONS.install_advice
    if family == "python":
        return "" if _has_jedi() or find_basedpyright() else DEFINITIONS.install_advice
    found = clang.find_clangd() if family == "clang" else find_rust_analyzer()
    return "" if found else f"{name_of(family)} is not installed"


def recipe_of(family: Family, root: str, python: str = "", import_path: tuple[str, ...] = ()) -> ServerRecipe:
    """Returns how to start the language server for a workspace. Call it in a thread: it searches many folders.

    Raises FileNotFoundError if the language server is not installed.
    """
    if family == "python" and not _has_jedi() and (found := find_basedpyright()):
        return ServerRecipe((found, "--stdio"), configuration=_of_basedpyright(python, import_path))
    if family == "python":
        workspace = {"environmentPath": python or None, "extraPaths": import_path}
        options = {"diagnostics": {"enable": False}, "workspace": workspace}
        argv = tuple(child_python.command("jedi_language_server.cli:cli"))
        return ServerRecipe(argv, options, {"PYTHONDONTWRITEBYTECODE": "1"}, probe=("dap_ai_probe.py", "import sys\n"))
    program = clang.find_clangd() if family == "clang" else find_rust_analyzer()
    if not program:
        raise FileNotFoundError(f"there is no {name_of(family)}")
    if family == "rust":
        return ServerRecipe((program,), _QUIET_RUST)
    argv = (program, *clang.arguments(root))
    includes = () if clang.database_of(root) else clang.include_folders(root)
    return ServerRecipe(argv, command=lambda path, language: clang.command_of(path, language, root, includes))


def _has_jedi() -> bool:
    return "jedi_language_server" not in DEFINITIONS.missing


def find_basedpyright() -> str:
    """Returns the path of basedpyright's language server; empty if it is not installed.

    Searches dap-ai's environment and PATH.
    """
    name = "basedpyright-langserver"
    return programs.locate(name, programs.search_path()) or ""


def _of_basedpyright(python: str, import_path: tuple[str, ...]) -> dict[str, Any]:
    analysis = {"diagnosticMode": "openFilesOnly", "indexing": False, "extraPaths": import_path}
    return {
        "python": {"pythonPath": python or sys.executable, "analysis": analysis},
        "basedpyright": {"analysis": analysis},
        "basedpyright.analysis": analysis,
        "python.analysis": analysis,
    }


def find_rust_analyzer() -> str:
    """Returns the path of rust-analyzer, empty if not installed.

    Ignores rustup's proxy program, which exists even without the component.
    """
    found = programs.locate("rust-analyzer")
    if not found or Path(os.path.realpath(found)).stem != "rustup":
        return found or ""
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    return next((str(each) for each in sorted(home.glob("toolchains/*/bin/rust-analyzer*"))), "")

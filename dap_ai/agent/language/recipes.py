"""How to start the language server of each language, if it is installed."""

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
"""Languages grouped by the language server that handles them."""
_FAMILIES: Mapping[str, Family] = {"python": "python", "c": "clang", "cpp": "clang", "rust": "rust"}
_QUIET_RUST = {
    "cargo": {"buildScripts": {"enable": False}},
    "procMacro": {"enable": False},
    "checkOnSave": False,
    "cachePriming": {"enable": False},
}
"""Options with which rust-analyzer compiles and runs nothing of the workspace."""


@dataclass(frozen=True)
class ServerRecipe:
    """How to start one kind of language server for one workspace."""

    argv: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The `initializationOptions` request field."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables added to this process's own."""
    configuration: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings by section, for servers that request them."""
    probe: tuple[str, str] | None = None
    """Name and text of a file for a first request, which must succeed before the server counts as started."""
    command: Callable[[str, str], tuple[str, list[str]] | None] | None = None
    """Returns the (folder, command) that compiles a file (path, language), if the server needs it."""


def family_of(language: str) -> Family | None:
    """Returns the family of a language, as from source_files.language_of; None if no server handles it."""
    return _FAMILIES.get(language)


def name_of(family: Family) -> str:
    """Returns the server's name for the user."""
    return {"python": "jedi-language-server", "clang": "clangd", "rust": "rust-analyzer"}[family]


def is_installed(family: Family = "python") -> bool:
    """Whether the language server of a family is installed."""
    return not why_not_installed(family)


def why_not_installed(family: Family) -> str:
    """Returns what is missing, with installation advice for dap_ai's own extras; empty if the server can be started."""
    if "pygls" in DEFINITIONS.missing:
        return DEFINITIONS.install_advice
    if family == "python":
        return "" if _has_jedi() or find_basedpyright() else DEFINITIONS.install_advice
    found = clang.find_clangd() if family == "clang" else find_rust_analyzer()
    return "" if found else f"{name_of(family)} is not installed"


def recipe_of(family: Family, root: str, python: str = "", import_path: tuple[str, ...] = ()) -> ServerRecipe:
    """Returns the recipe for a workspace. Call it in a thread, because it searches the workspace's folders.

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
    """Returns the path of basedpyright's language server in dap-ai's environment or on PATH; empty if none."""
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
    """Returns the path of rust-analyzer; empty if none. Ignores rustup's proxy for a missing component."""
    found = programs.locate("rust-analyzer")
    if not found or Path(os.path.realpath(found)).stem != "rustup":
        return found or ""
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    return next((str(each) for each in sorted(home.glob("toolchains/*/bin/rust-analyzer*"))), "")

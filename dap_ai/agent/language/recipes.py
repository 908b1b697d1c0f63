"""How the language server of each language is started, if there is one on this machine."""

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
"""Languages that one language server knows."""
_FAMILIES: Mapping[str, Family] = {"python": "python", "c": "clang", "cpp": "clang", "rust": "rust"}
_QUIET_RUST = {
    "cargo": {"buildScripts": {"enable": False}},
    "procMacro": {"enable": False},
    "checkOnSave": False,
    "cachePriming": {"enable": False},
}
"""It compiles and runs nothing of the workspace."""


@dataclass(frozen=True)
class ServerRecipe:
    """One kind of language server for one workspace."""

    argv: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`initializationOptions`."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """On top of this process's own."""
    configuration: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """By section, for those that ask for it."""
    probe: tuple[str, str] | None = None
    """Name and text of a file that it is asked about before it counts as started."""
    command: Callable[[str, str], tuple[str, list[str]] | None] | None = None
    """The folder and the command that compile a file (path, language), where it must be told."""


def family_of(language: str) -> Family | None:
    """Which language server knows a language, as agent.source.language_of has it; None: none that is known here."""
    return _FAMILIES.get(language)


def name_of(family: Family) -> str:
    """What the user knows it by."""
    return {"python": "jedi-language-server", "clang": "clangd", "rust": "rust-analyzer"}[family]


def is_installed(family: Family = "python") -> bool:
    """Whether there is such a language server to start."""
    return not why_not_installed(family)


def why_not_installed(family: Family) -> str:
    """What is missing, and how to get it where that is up to us; empty: there is such a language server to start."""
    if "pygls" in DEFINITIONS.missing:
        return DEFINITIONS.install_advice
    if family == "python":
        return "" if _has_jedi() or find_basedpyright() else DEFINITIONS.install_advice
    found = clang.find_clangd() if family == "clang" else find_rust_analyzer()
    return "" if found else f"{name_of(family)} is not installed"


def recipe_of(family: Family, root: str, python: str = "", import_path: tuple[str, ...] = ()) -> ServerRecipe:
    """The recipe for a workspace; it walks through its folders, so it is called in a thread.

    Raises FileNotFoundError where the language server is not installed.
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
    """The path of its language server, in dap-ai's own environment or on PATH; empty: none."""
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
    """The path of rust-analyzer; empty: none. rustup's stand-in for one that is not installed counts as none."""
    found = programs.locate("rust-analyzer")
    if not found or Path(os.path.realpath(found)).stem != "rustup":
        return found or ""
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    return next((str(each) for each in sorted(home.glob("toolchains/*/bin/rust-analyzer*"))), "")

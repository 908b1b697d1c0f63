"""How clangd is found, started and told of a file's command: nothing is started."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from dap_ai.agent.language import clang, recipes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are played by files that can be executed")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, with compilers of its own on PATH."""
    tools = tmp_path / "tools"
    for name in ("gcc", "g++"):
        program(tools / name)
    monkeypatch.setenv("PATH", str(tools))
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    return root


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def write(path: Path, text: str = "") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_clangd_that_is_set_comes_first(tmp_path: Path):
    chosen, other = program(tmp_path / "a" / "clangd"), program(tmp_path / "b" / "clangd")
    assert clang.find_clangd({clang.SETTING: str(chosen), "PATH": str(other.parent)}) == str(chosen)


def test_a_clangd_that_is_set_and_is_none_is_not_replaced(tmp_path: Path):
    program(tmp_path / "clangd")
    assert clang.find_clangd({clang.SETTING: str(tmp_path / "none"), "PATH": str(tmp_path)}) == ""


def test_a_clangd_with_its_version_in_its_name_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(clang, "_beside", lambda: iter(()))
    found = program(tmp_path / "clangd-19")
    program(tmp_path / "clangd-14")
    assert clang.find_clangd({"PATH": str(tmp_path)}) == str(found)


@pytest.mark.parametrize("folder", ["", "build", "out", "cmake-build-debug", "build/release"])
def test_a_compilation_database_is_found_in_the_usual_folders(project: Path, folder: str):
    write(project / folder / clang.DATABASE, "[]")
    (project / "source").mkdir()
    assert clang.database_of(str(project / "source")) == str(project / folder)


def test_a_compilation_database_above_the_repository_is_anothers(project: Path):
    write(project.parent / clang.DATABASE, "[]")
    assert clang.database_of(str(project)) == ""


def test_a_compilation_database_is_given_to_clangd_and_no_command_is_guessed(project: Path):
    write(project / "build" / clang.DATABASE, json.dumps([]))
    assert f"--compile-commands-dir={project / 'build'}" in clang.arguments(str(project))
    assert clang.command_of(str(project / "main.c"), "c", str(project)) is None


@pytest.mark.parametrize(
    ("language", "compiler", "flags"),
    [("c", "gcc", ["-x", "c", "-std=gnu17"]), ("cpp", "g++", ["-x", "c++", "-std=gnu++20"])],
)
def test_a_command_is_guessed_by_the_language(project: Path, language: str, compiler: str, flags: list[str]):
    made = clang.command_of(str(project / "main"), language, str(project))
    assert made == (str(project), [shutil.which(compiler), *flags, "-c", str(project / "main")])


def test_folders_with_headers_and_those_above_are_included(project: Path):
    write(project / "include" / "shop" / "order.h")
    write(project / ".cache" / "old.h")
    write(project / "source" / "main.c")
    assert clang.include_folders(str(project)) == [str(project / "include" / "shop"), str(project / "include")]


def test_the_flags_of_compile_flags_txt_are_used(project: Path):
    write(project / clang.FLAGS, "-DSHOP=1\n\n-Iother\n")
    path = str(project / "source" / "main.c")
    assert clang.command_of(path, "c", str(project)) == (
        str(project),
        [shutil.which("gcc"), "-DSHOP=1", "-Iother", "-c", path],
    )


def test_clangd_may_start_only_compilers_of_the_path(project: Path):
    folder = str(project.parent / "tools")
    assert {os.path.dirname(pattern) for pattern in clang.drivers()} == {folder}  # noqa: PTH120  text


def test_clangd_writes_no_index_and_no_temporary_file(project: Path):
    assert {"--background-index=false", "--pch-storage=memory"} <= set(clang.arguments(str(project)))


def test_what_is_not_installed_is_told(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(clang, "find_clangd", lambda: "")
    assert not recipes.is_installed("clang")
    with pytest.raises(FileNotFoundError, match="there is no clangd"):
        recipes.recipe_of("clang", str(project))


def test_a_stand_in_of_rustup_is_no_language_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rustup = program(tmp_path / "bin" / "rustup")
    (tmp_path / "bin" / "rust-analyzer").symlink_to(rustup)
    monkeypatch.setenv("PATH", str(rustup.parent))
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path / "home"))
    assert recipes.find_rust_analyzer() == ""
    real = program(tmp_path / "home" / "toolchains" / "stable" / "bin" / "rust-analyzer")
    assert recipes.find_rust_analyzer() == str(real)


def test_the_language_server_goes_by_the_files_language():
    assert [recipes.family_of(each) for each in ("python", "c", "cpp", "rust", "go")] == [
        *("python", "clang", "clang", "rust", None)
    ]


def test_without_jedi_basedpyright_is_told_the_debuggees_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    found = program(tmp_path / "basedpyright-langserver")
    monkeypatch.setattr(recipes, "_has_jedi", lambda: False)
    monkeypatch.setattr(recipes, "find_basedpyright", lambda: str(found))
    made = recipes.recipe_of("python", str(tmp_path), "/usr/bin/python3", ("/lib",))
    assert made.argv == (str(found), "--stdio")
    assert made.configuration["python"]["pythonPath"] == "/usr/bin/python3"
    assert recipes.is_installed("python")


def test_a_guessed_command_names_the_folders_with_headers(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(clang.SETTING, str(program(project.parent / "clangd")))
    write(project / "include" / "order.h")
    recipe = recipes.recipe_of("clang", str(project))
    assert recipe.command is not None
    found = recipe.command(str(project / "main.c"), "c")
    assert found is not None
    assert f"-I{project / 'include'}" in found[1]

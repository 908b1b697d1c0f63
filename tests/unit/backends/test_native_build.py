"""How a source file is compiled before it is asked about."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dap_ai.backends.native import build
from dap_ai.protocol.contracts.backend import StartError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the compilers are shell scripts")


@pytest.fixture
def compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts programs of these names alone on PATH; each does what its script says."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for variable in ("CC", "CXX", "RUSTC"):
        monkeypatch.delenv(variable, raising=False)

    def add(name: str, script: str = "") -> Path:
        program = folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return program

    return add


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "crash.c"
    file.write_text("int main(void) { return 0; }\n")
    return file


def test_a_c_file_is_compiled_with_debug_information_and_without_optimisation(compilers, source, tmp_path):
    gcc = compilers("gcc")
    plan = build.plan(source, tmp_path)
    assert plan.output == tmp_path / "crash"
    assert plan.argv[0] == str(gcc)
    assert {"-g", "-O0", "-pthread", str(source)} <= set(plan.argv)
    assert not any("sanitize" in word for word in plan.argv)


def test_sanitizers_are_asked_for_in_one_flag(compilers, source, tmp_path):
    compilers("cc")
    assert "-fsanitize=address,undefined" in build.plan(source, tmp_path, ["address", "undefined"]).argv


@pytest.mark.parametrize(("suffix", "program"), [(".c", "cc"), (".cpp", "c++"), (".cc", "c++"), (".rs", "rustc")])
def test_each_language_has_its_compiler(compilers, suffix, program):
    for name in ("cc", "c++", "rustc"):
        compilers(name)
    assert Path(build.find_compiler(suffix)[0]).name == program


def test_the_compiler_of_the_environment_is_preferred(compilers, monkeypatch):
    compilers("cc")
    mine = compilers("mine")
    monkeypatch.setenv("CC", "mine -m32")
    assert build.find_compiler(".c") == [str(mine), "-m32"]


def test_a_compiler_of_the_environment_that_is_not_there_is_told(compilers, monkeypatch):
    compilers("cc")
    monkeypatch.setenv("CC", "gcc-99")
    with pytest.raises(StartError, match="CC is gcc-99"):
        build.find_compiler(".c")


@pytest.mark.usefixtures("compilers")
def test_where_no_compiler_is_the_user_learns_what_to_install():
    with pytest.raises(StartError, match=r"no compiler for \*\.c .*install .*gcc"):
        build.find_compiler(".c")


def test_a_file_of_another_language_is_refused():
    with pytest.raises(StartError, match=r"\*\.go are not compiled here"):
        build.find_compiler(".go")


def test_rust_has_no_sanitizers(compilers, tmp_path):
    compilers("rustc")
    with pytest.raises(StartError, match="nightly"):
        build.plan(tmp_path / "a.rs", tmp_path, ["address"])


def test_errors_are_shown_as_the_compiler_printed_them(compilers, source, tmp_path):
    compilers("cc", 'echo "crash.c:1:5: error: no such luck" >&2; exit 1')
    with pytest.raises(StartError, match=r"crash\.c:1:5: error: no such luck"):
        build.compile_source(source, tmp_path)


def test_of_endless_errors_the_first_are_shown(compilers, source, tmp_path):
    compilers("cc", "i=0; while [ $i -lt 500 ]; do echo error $i; i=$((i+1)); done; exit 1")
    with pytest.raises(StartError) as raised:
        build.compile_source(source, tmp_path)
    assert "error 0\n" in str(raised.value)
    assert "440 more lines" in str(raised.value)


def test_a_compiler_that_makes_nothing_has_failed(compilers, source, tmp_path):
    compilers("cc", "exit 0")
    with pytest.raises(StartError, match="does not compile"):
        build.compile_source(source, tmp_path)


def test_a_file_of_a_cargo_project_that_does_not_compile_alone_is_told_how_it_does(compilers, tmp_path):
    compilers("rustc", "exit 1")
    (tmp_path / "Cargo.toml").write_text("")
    (tmp_path / "main.rs").write_text("")
    with pytest.raises(StartError, match="cargo build"):
        build.compile_source(tmp_path / "main.rs", tmp_path)

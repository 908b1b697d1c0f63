from __future__ import annotations

import struct
import sys
from pathlib import Path

import click
import pytest

from dap_ai.debuggees.native.launch import native_program
from dap_ai.debuggees.native.launch.native_program import (
    Core,
    NativeProgram,
    exception_filters,
    find_core,
    find_native,
    is_native,
    is_source,
)
from tests.unit.backends import elf_files

PROGRAM = NativeProgram("/b/p", ("x y", "-q"), "/w", {})
LLDB_23 = {"$__lldb_version": "lldb version 23.1.4 (somewhere)"}
LLDB_19 = {"__lldb": {"version": "lldb version 19.1.7"}}
X86_64 = 62
S390 = 22


@pytest.fixture
def stdin(monkeypatch):
    monkeypatch.setattr(native_program, "stdin_path", lambda: "/in")


def elf(path, kind=2, machine=X86_64):
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", kind, machine) + bytes(44))
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("head", [b"\x7fELF", b"MZ\x90\x00", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"])
def test_machine_code_of_each_system_is_native(tmp_path, head):
    (tmp_path / "p").write_bytes(head + bytes(60))
    assert is_native(tmp_path / "p")


@pytest.mark.parametrize("content", [b"print(1)\n", b"#!/usr/bin/env python3\n", b"", b"PK\x03\x04"])
def test_python_is_not_native(tmp_path, content):
    (tmp_path / "p").write_bytes(content)
    assert not is_native(tmp_path / "p")


@pytest.mark.parametrize(("name", "is_one"), [("a.c", True), ("a.cpp", True), ("a.rs", True), ("a.py", False)])
def test_a_source_is_known_by_its_suffix(tmp_path, name, is_one):
    (tmp_path / name).write_text("")
    assert is_source(tmp_path / name) is is_one


def test_a_source_that_is_not_there_is_none(tmp_path):
    assert not is_source(tmp_path / "a.c")


@pytest.mark.skipif(sys.platform != "linux", reason="our own interpreter must be an ELF file")
@pytest.mark.parametrize(
    ("kind", "machine", "words"), [(1, X86_64, "object file"), (4, X86_64, "--core"), (2, S390, "another processor")]
)
def test_what_cannot_run_is_refused_by_what_it_is(tmp_path, kind, machine, words):
    with pytest.raises(click.UsageError, match=words):
        find_native(str(elf(tmp_path / "p", kind, machine)))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_a_file_that_may_not_be_executed_earns_the_command_that_helps(tmp_path):
    path = tmp_path / "p"
    path.write_bytes(b"\xcf\xfa\xed\xfe")
    path.chmod(0o644)
    with pytest.raises(click.UsageError, match=r"chmod \+x"):
        find_native(str(path))


def test_a_core_file_is_taken_with_its_program(tmp_path):
    core, program = elf(tmp_path / "core", 4), elf(tmp_path / "p")
    assert find_core(str(core), [str(program)]) == Core(str(core), str(program))


def test_a_core_file_may_find_its_program_itself(tmp_path):
    core = elf(tmp_path / "core", 4)
    assert find_core(str(core), []) == Core(str(core))


def test_a_program_is_no_core_file(tmp_path):
    with pytest.raises(click.UsageError, match="not a core file"):
        find_core(str(elf(tmp_path / "p")), [])


def test_a_core_file_takes_no_arguments(tmp_path):
    with pytest.raises(click.UsageError, match="no arguments"):
        find_core(str(elf(tmp_path / "core", 4)), ["p", "x"])


@pytest.mark.usefixtures("stdin")
def test_gdb_gets_arguments_and_input_as_a_shells_text():
    assert PROGRAM.launch_arguments("gdb", {})["args"] == "'x y' -q < /in"


@pytest.mark.usefixtures("stdin")
def test_gdb_gets_the_whole_environment_because_it_adds_nothing(monkeypatch):
    monkeypatch.setenv("OURS", "1")
    env = NativeProgram("/b/p", (), "/w", {"A": "2"}).launch_arguments("gdb", {})["env"]
    assert (env["OURS"], env["A"]) == ("1", "2")


@pytest.mark.usefixtures("stdin")
def test_lldb_of_today_opens_the_input_itself():
    arguments = PROGRAM.launch_arguments("lldb", LLDB_23)
    assert (arguments["args"], arguments["stdio"]) == (["x y", "-q"], ["/in", None, None])


@pytest.mark.usefixtures("stdin")
def test_lldb_19_opens_the_input_by_a_command_of_its_own():
    arguments = PROGRAM.launch_arguments("lldb", LLDB_19)
    assert arguments["launchCommands"] == ["process launch -s -i /in"]
    assert "stdio" not in arguments


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")
def test_what_we_read_from_can_be_opened_by_another_process():
    assert Path(native_program.stdin_path()).exists()


@pytest.mark.parametrize(
    ("wanted", "announced", "filters"),
    [
        (["uncaught"], ["cpp_throw", "cpp_catch"], []),
        (["raised"], ["cpp_throw", "cpp_catch"], ["cpp_throw"]),
        (["raised"], ["throw", "catch"], ["throw"]),
        (["raised"], [], []),
    ],
)
def test_of_our_exceptions_only_raised_means_something_in_cpp(wanted, announced, filters):
    assert exception_filters(wanted, announced) == filters


def test_who_expected_a_stop_is_told_of_sanitizers_for_a_source():
    text = NativeProgram("/t/crash", (), "/w", {}, "crash.c").why_no_stop(0)
    assert "--sanitize address crash.c" in text


@pytest.mark.parametrize(("source", "settings"), [("crash.c", {"ASAN_OPTIONS": "x=1"}), ("crash.rs", {})])
def test_who_has_a_sanitizer_already_or_can_have_none_is_not_told_of_one(source, settings):
    assert "sanitize" not in NativeProgram("/t/crash", (), "/w", {}, source, settings).why_no_stop(0)


def test_the_command_line_shows_what_the_user_has_set_and_not_what_we_add():
    program = NativeProgram("/b/p", ("x y",), "/w", {"A": "1"}, settings={"ASAN_OPTIONS": "x=1"})
    assert program.command_line() == "A=1 /b/p 'x y'"
    assert "ASAN_OPTIONS=x=1" in program.launch_arguments("lldb", LLDB_23)["env"]


def test_after_a_sanitizers_own_run_no_sanitizer_is_recommended(tmp_path):
    program = tmp_path / "msan"
    program.write_bytes(elf_files.elf({".dynstr": b"\0__msan_init\0"}))
    assert "unnoticed" not in NativeProgram(str(program), (), str(tmp_path), {}).why_no_stop(1)

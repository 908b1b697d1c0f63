from __future__ import annotations

import click
import pytest

from dap_ai.debuggees.python.launch.python_program import PythonProgram, find_program


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"#!/bin/sh\necho\n", "/bin/sh"),
        (b"\x00\x01\x02", "not Python source"),
    ],
)
def test_what_is_not_python_is_refused_by_what_it_is(tmp_path, content, words):
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(click.UsageError, match=words):
        find_program(str(tmp_path / "p"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(click.UsageError, match=r"no file .*absent\.py"):
        find_program(str(tmp_path / "absent.py"))


def test_the_name_of_a_module_earns_a_hint():
    with pytest.raises(click.UsageError, match="-m pytest"):
        find_program("pytest")


def test_a_missing_file_is_not_taken_for_a_module():
    with pytest.raises(click.UsageError) as error:
        find_program("absent.py")
    assert "-m" not in error.value.message


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(click.UsageError, match="directory"):
        find_program(str(tmp_path))


@pytest.mark.parametrize("content", [b"print(1)\n", b"#!/usr/bin/env python3\n", b"", b"PK\x03\x04\x00"])
def test_what_python_runs_is_found_by_its_absolute_path(tmp_path, monkeypatch, content):
    (tmp_path / "p.py").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert find_program("p.py") == str(tmp_path / "p.py")


def test_a_directory_with_a_main_is_a_program(tmp_path):
    (tmp_path / "__main__.py").write_text("")
    assert find_program(str(tmp_path)) == str(tmp_path)


def test_the_command_line_can_be_typed_again():
    program = PythonProgram("/usr/bin/python3", "/a b.py", "", ("x y", "-q"), "/", {"A": "1"})
    assert program.command_line() == "A=1 /usr/bin/python3 '/a b.py' 'x y' -q"


def test_a_module_is_launched_as_one():
    arguments = PythonProgram("python", "", "pytest", ("-x",), "/", {}).launch_arguments(just_my_code=True)
    assert arguments["module"] == "pytest"
    assert "program" not in arguments


@pytest.mark.parametrize(
    ("path", "module", "is_one"), [("/b/pytest", "", True), ("", "unittest", True), ("/p.py", "", False)]
)
def test_a_test_runner_is_known_by_its_name(path, module, is_one):
    assert PythonProgram("python", path, module, (), "/", {}).is_test_runner is is_one


@pytest.mark.parametrize(
    ("module", "model", "advised"), [("pytest", False, True), ("pytest", True, False), ("unittest", False, False)]
)
def test_the_plugin_is_advised_for_pytest_where_no_model_was_chosen(module, model, advised):
    program = PythonProgram("python", "", module, (), "/", {}, model=model)
    assert ("pytest --ask" in program.better_way) is advised
    assert ("pytest --ask" in program.why_no_stop(1, ())) is advised

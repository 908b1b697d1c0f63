"""What `dap-ai doctor` says of native debug adapters, compilers, core files and the right to attach."""

from __future__ import annotations

import sys

import pytest

from dap_ai.agent.language import clang
from dap_ai.backends.native import build, locate
from dap_ai.commands import doctor
from dap_ai.protocol.contracts.backend import StartError

not_on_windows = pytest.mark.skipif(sys.platform == "win32", reason="Windows writes no core files of this kind")


def raising(text):
    def find(*_arguments):
        raise StartError(text)

    return find


@pytest.fixture
def kernel(monkeypatch):
    """Sets what the kernel answers, by the setting's name; all others it does not have."""
    told = {}
    monkeypatch.setattr(doctor, "_kernel", lambda name: told.get(name, ""))
    return told


def test_lldb_dap_is_told_with_its_version_and_its_place(monkeypatch):
    monkeypatch.setattr(locate, "lldb_dap", lambda: "/opt/lldb-dap")
    monkeypatch.setattr(locate, "version_of", lambda _path: 23)
    assert doctor._lldb() == doctor.DoctorCheck("lldb-dap", "ok", "23 (/opt/lldb-dap)")


def test_of_an_old_lldb_dap_its_weakness_is_told(monkeypatch):
    monkeypatch.setattr(locate, "lldb_dap", lambda: "/opt/lldb-dap-19")
    check = doctor._lldb()
    assert check.verdict == "ok"
    assert "unknown request would crash it" in check.advice


@pytest.mark.parametrize(("look", "name"), [(doctor._lldb, "lldb_dap"), (doctor._gdb, "gdb")])
def test_what_is_missing_is_optional_and_comes_with_advice(monkeypatch, look, name):
    monkeypatch.setattr(locate, name, raising("there is none. Install it: pip install it."))
    check = look()
    assert (check.verdict, check.found, check.advice) == ("optional", "there is none", "Install it: pip install it")


def test_the_compilers_that_are_there_are_named_and_those_that_are_not(monkeypatch):
    def find(suffix):
        if suffix == ".rs":
            raise StartError("none")
        return ["/usr/bin/cc"]

    monkeypatch.setattr(build, "find_compiler", find)
    check = doctor._compilers()
    assert check.found == "C: /usr/bin/cc, C++: /usr/bin/cc"
    assert "Rust" in check.advice


def test_no_compiler_at_all_is_no_fault(monkeypatch):
    monkeypatch.setattr(build, "find_compiler", raising("none"))
    assert doctor._compilers().verdict == "optional"


@pytest.mark.parametrize(("path", "verdict"), [("/usr/bin/clangd", "ok"), ("", "optional")])
def test_clangd_is_looked_for(monkeypatch, path, verdict):
    monkeypatch.setattr(clang, "find_clangd", lambda: path)
    check = doctor._clangd()
    assert check.verdict == verdict
    assert path or "pip install" in check.advice


@not_on_windows
@pytest.mark.parametrize(
    ("pattern", "limit", "expected"),
    [
        ("core", 0, ("optional", "ulimit -c unlimited")),
        ("core.%p", -1, ("ok", "written as 'core.%p'")),
        ("|/usr/lib/systemd/systemd-coredump %P", 0, ("ok", "coredumpctl dump")),
        ("|/usr/share/apport/apport -p%p", 0, ("ok", "apport keeps them")),
        ("|", 0, ("ok", "a program")),
        ("", 0, ("optional", "not checked")),
    ],
)
def test_it_is_told_whether_and_where_a_crash_leaves_a_core_file(monkeypatch, kernel, pattern, limit, expected):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda _which: (limit, -1))
    kernel["core_pattern"] = pattern
    check = doctor._cores()
    assert check.verdict == expected[0]
    assert expected[1] in f"{check.found}. {check.advice}"


@pytest.mark.parametrize(
    ("scope", "user", "expected"),
    [
        ("", 1000, ("ok", "any of your programs")),
        ("0", 1000, ("ok", "any of your programs")),
        ("1", 1000, ("optional", "sysctl kernel.yama.ptrace_scope=0")),
        ("1", 0, ("ok", "any of your programs")),
        ("3", 0, ("optional", "cannot be lowered")),
    ],
)
def test_it_is_told_whether_a_running_program_can_be_attached_to(monkeypatch, kernel, scope, user, expected):
    monkeypatch.setattr(doctor.os, "geteuid", lambda: user, raising=False)
    kernel["yama/ptrace_scope"] = scope
    check = doctor._ptrace()
    assert check.verdict == expected[0]
    assert expected[1] in f"{check.found}. {check.advice}"


def test_every_row_of_native_programs_is_shown(monkeypatch):
    monkeypatch.setattr(doctor, "_attach", lambda: doctor.DoctorCheck("dap-ai ask --pid", "ok", ""))
    names = [check.name for check in doctor.run_checks(doctor.configuration.Settings(python=sys.executable))]
    native = ["lldb-dap", "gdb with DAP", "compilers", "clangd", "core files", "attach, native"]
    assert [name for name in names if name in native] == native


def test_a_setting_that_this_kernel_does_not_have_is_empty():
    assert doctor._kernel("no/such/setting") == ""

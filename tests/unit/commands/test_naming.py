from __future__ import annotations

import click
import pytest

from dap_ai.agent.kinds import named
from dap_ai.backends import UnknownBackendError
from dap_ai.commands import target_kinds
from dap_ai.commands.target_kinds import TargetRequest, backend_for, kind_of
from dap_ai.debuggees.native.launch.prepare_native import adapter_of, remarks
from dap_ai.protocol.contracts.inspection import Binary
from dap_ai.settings.configuration import Resolved, Settings

NATIVE = named("native")


def without(*missing):
    """A `discover` that finds all but these."""

    def discover(name):
        if name in missing:
            raise UnknownBackendError(f"install {name}")

    return discover


def resolved(backend="debugpy", source="default"):
    return Resolved(Settings(backend=backend), {"backend": source})


@pytest.mark.parametrize(
    ("missing", "chosen"), [((), "lldb"), (("lldb",), "gdb")], ids=["both are there", "there is no lldb"]
)
def test_a_native_program_gets_lldb_and_gdb_where_there_is_none(monkeypatch, missing, chosen):
    monkeypatch.setattr(target_kinds, "discover", without(*missing))
    assert backend_for(resolved(), NATIVE) == chosen


def test_without_a_debugger_the_user_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(target_kinds, "discover", without("lldb", "gdb"))
    with pytest.raises(click.UsageError, match="install lldb"):
        backend_for(resolved(), NATIVE)


@pytest.mark.parametrize("backend", ["lldb", "gdb", "lldb-dap-19"])
def test_the_backend_that_is_set_serves_a_native_program(backend):
    assert backend_for(resolved(backend, "DAP_AI_BACKEND"), NATIVE) is None


@pytest.mark.parametrize(("backend", "kind"), [("debugpy", "native"), ("lldb", "python"), ("gdb", "python")])
def test_a_backend_that_was_asked_for_and_does_not_fit_is_refused(backend, kind):
    with pytest.raises(click.UsageError, match=f"--backend {backend}"):
        backend_for(resolved(backend, "flag"), named(kind))


def test_python_is_debugged_by_debugpy_whatever_native_debugger_is_set():
    assert backend_for(resolved("lldb", "DAP_AI_BACKEND"), named("python")) == "debugpy"


@pytest.mark.parametrize(
    ("name", "adapter"), [("gdb", "gdb"), ("/usr/bin/gdb -i dap", "gdb"), ("lldb", "lldb"), ("lldb-dap-19", "lldb")]
)
def test_an_adapter_is_launched_in_its_own_way(name, adapter):
    assert adapter_of(name) == adapter


@pytest.mark.parametrize(
    ("binary", "words"),
    [
        (Binary("/p", stripped=True, debug_info=False), "stripped"),
        (Binary("/p", debug_info=False), "no debug information"),
        (Binary("/p", optimised=True), "optimised"),
    ],
)
def test_what_keeps_answers_poor_is_said_with_what_to_do(binary, words):
    (remark,) = remarks(binary, "p")
    assert words in remark
    assert "-g -O0" in remark


def test_a_program_made_for_debugging_earns_no_remark():
    assert remarks(Binary("/p", optimised=False), "p") == []


def test_a_module_of_python_is_not_native_whatever_its_arguments_are(tmp_path):
    (tmp_path / "a.c").write_text("")
    assert kind_of(TargetRequest([str(tmp_path / "a.c")], "/", module="pytest")).name == "python"


def test_a_source_file_that_is_compiled_is_native(tmp_path):
    (tmp_path / "a.c").write_text("")
    assert kind_of(TargetRequest([str(tmp_path / "a.c")], "/")).name == "native"


def test_what_nobody_claims_is_looked_at_as_python():
    assert kind_of(TargetRequest(["no such file"], "/")).name == "python"

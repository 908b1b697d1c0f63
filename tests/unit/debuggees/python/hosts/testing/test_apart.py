"""Modules of the plugin's own: what is replaced in those of the program is not called in them."""

from __future__ import annotations

import builtins
import json
import os
import signal
import subprocess
import sys

import pytest

from dap_ai.debuggees.python.hosts.answer_process import AnswerProcess
from dap_ai.debuggees.python.hosts.testing.apart import Library
from dap_ai.debuggees.python.hosts.testing.guest import Faults


@pytest.fixture(scope="module")
def library():
    return Library()


def refuse(*_, **__):
    raise AssertionError("the program's was called")


def test_none_of_its_modules_is_the_program_s(library):
    before = set(sys.modules)
    asking = library.load("dap_ai.debuggees.python.hosts.testing.failure_hooks")
    assert sys.modules.get("dap_ai.debuggees.python.hosts.testing.failure_hooks") is not asking
    assert [name for name in set(sys.modules) - before if name.startswith("dap_ai")] == []
    assert asking.os is not os
    assert asking.os.path is not os.path
    assert sys.modules["os.path"] is os.path


def test_what_the_program_replaces_is_not_called_there(library, monkeypatch, tmp_path):
    file = tmp_path / "x"
    file.write_text("one\n", encoding="utf-8")
    own = {name: library.load(name) for name in ("os", "json", "subprocess", "linecache", "shutil", "tempfile")}
    for place, name in [(os, "fspath"), (os, "stat"), (os, "lstat"), (os, "pipe"), (os, "mkdir"), (os, "unlink")]:
        monkeypatch.setattr(place, name, refuse)
    for place, name in [(builtins, "open"), (json, "JSONEncoder"), (json, "dumps"), (subprocess, "Popen")]:
        monkeypatch.setattr(place, name, refuse)
    path = str(file)
    found = own["os"].path.isfile(own["os"].path.abspath(path)), own["linecache"].getline(path, 1)
    text = own["json"].dumps({"a": [1]}, ensure_ascii=False)
    said = own["subprocess"].run([sys.executable, "-c", "print(1)"], stdout=subprocess.PIPE, check=True).stdout
    own["shutil"].rmtree(folder := own["tempfile"].mkdtemp())
    left = own["os"].path.exists(folder)
    monkeypatch.undo()
    assert (found, text, said, left) == ((True, "one\n"), '{"a": [1]}', b"1\n", False)


def test_its_code_belongs_to_no_file(library):
    assert library.load(
        "dap_ai.debuggees.python.hosts.testing.failure_hooks"
    ).FailureHooks.__init__.__code__.co_filename.startswith("<")


def test_streams_are_those_of_the_moment(library, monkeypatch):
    monkeypatch.setattr(sys, "stdout", stream := object())
    assert library.load("sys").stdout is stream


def test_an_error_becomes_a_line_and_an_interrupt_passes():
    faults = Faults()
    for _ in range(2):
        with faults.kept("write"):
            raise OSError("no\nroom")
    assert faults.lines() == ["dap_ai could not write: OSError: no room (2 times)."]
    with pytest.raises(KeyboardInterrupt), faults.kept("write"):
        raise KeyboardInterrupt
    assert len(faults.lines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no timers")
def test_a_timer_stands_meanwhile_and_goes_on_then():
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1000.0)
        with Faults().kept("wait"):
            assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert 900.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
def test_the_process_that_answers_is_in_nobody_s_coverage(monkeypatch):
    for name in ("COV_CORE_SOURCE", "COVERAGE_PROCESS_START"):
        monkeypatch.setenv(name, "x")
    assert [name for name in AnswerProcess({})._environ if name.startswith(("COV_CORE_", "COVERAGE_"))] == []

from __future__ import annotations

import asyncio
import os

import pytest

from dap_ai.debuggees.native.launch.native_job import NativeJob
from dap_ai.protocol.wire.errors import RequestFailed


class Shown:
    def __init__(self):
        self.output = []
        self.console = []

    def show(self, category, data):
        self.output.append((category, data))


def job_of(adapter="lldb", started=True, verbose=True):
    shown = Shown()
    job = NativeJob(adapter, shown.show, shown.console.append if verbose else None)
    if started:
        job.started(os.getpid())
    return job, shown


def says(text=""):
    """A debugger that prints this at each command; remembers the commands."""
    asked = []

    async def request(command, arguments=None):
        asked.append((command, arguments["expression"]))
        if not text:
            raise RequestFailed(command, "no")
        return {"result": text}

    return request, asked


def stop(job, description="", reason="exception", text=""):
    return asyncio.run(job.stopped({"reason": reason, "description": description}, says(text)[0]))


def test_a_terminals_line_ends_are_the_programs_own_again():
    job, shown = job_of()
    job.output({"category": "stdout", "output": "a\r\nb\r\n"})
    assert shown.output == [("stdout", b"a\nb\n")]


def test_a_line_end_that_two_events_share_is_one_line_end():
    job, shown = job_of()
    for piece in ("a\r", "\nb\r", "c\r"):
        job.output({"category": "stdout", "output": piece})
    asyncio.run(job.ended())
    assert b"".join(data for _, data in shown.output) == b"a\nb\rc\r"


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("signal SIGSEGV: invalid address (fault address: 0x0)", "signal SIGSEGV: invalid address"),
        ("signal SIGSEGV: invalid address (fault address=0x0)", "signal SIGSEGV: invalid address"),
        (
            "signal SIGSEGV: address not mapped (fault address: 0x0)",
            "signal SIGSEGV: address not mapped (fault address: 0x0)",
        ),
    ],
)
def test_the_zero_of_a_fault_whose_address_the_system_does_not_tell_is_left_out(told, shown):
    assert stop(job_of()[0], told)["description"] == shown


@pytest.mark.parametrize(("verbose", "console"), [(True, ["breakpoint set"]), (False, [])])
def test_what_the_adapter_says_itself_is_shown_to_who_wants_it(verbose, console):
    job, shown = job_of(verbose=verbose)
    job.output({"category": "console", "output": "breakpoint set\n"})
    assert (shown.console, shown.output) == (console, [])


def test_what_gdb_says_before_the_program_runs_is_not_the_programs():
    job, shown = job_of("gdb", started=False)
    job.output({"category": "stdout", "output": "No symbol table is loaded.\n"})
    assert shown.output == []


def test_a_death_by_the_signal_that_stopped_it_is_told_from_an_exit_code():
    job, _ = job_of()
    stop(job, "signal SIGSEGV: address not mapped")
    asyncio.run(job.exited(11, says()[0]))
    assert job.status_of(11) == (139, "the program was killed by SIGSEGV")


def test_an_exit_code_that_is_also_a_signals_number_is_an_exit_code_without_such_a_stop():
    job, _ = job_of()
    asyncio.run(job.exited(11, says()[0]))
    assert job.status_of(11) == (11, "the program ended with exit code 11")


@pytest.mark.parametrize(("told", "status"), [("6", 134), ("void", 0), ("", 0)])
def test_gdb_is_asked_which_signal_ended_the_program(told, status):
    job, _ = job_of("gdb")
    asyncio.run(job.exited(0, says(told)[0]))
    assert job.status_of(0)[0] == status


def test_gdbs_stop_gets_the_name_of_its_signal():
    job, _ = job_of("gdb")
    assert stop(job, reason="signal", text="11")["description"] == "signal SIGSEGV"


@pytest.mark.parametrize(("adapter", "words"), [("lldb", "process handle SIGINT"), ("gdb", "handle SIGINT")])
def test_a_program_that_the_user_interrupts_gets_the_signal_when_it_goes_on(adapter, words, monkeypatch):
    monkeypatch.setattr(os, "kill", lambda pid, number: None)
    job, _ = job_of(adapter)
    request, asked = says("ok")
    job.send(2)
    asyncio.run(job.before_going_on(request))
    asyncio.run(job.before_going_on(request))
    ((_, command),) = asked
    assert words in command
    assert "pass" in command


def test_a_program_that_never_ran_has_no_exit_code():
    assert asyncio.run(job_of(started=False)[0].ended()) is None

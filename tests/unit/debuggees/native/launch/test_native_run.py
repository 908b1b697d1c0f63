from __future__ import annotations

import asyncio
import sys

import pytest

from dap_ai.commands.options.command_line import BreakpointOption
from dap_ai.commands.running.ask_run import AskRun
from dap_ai.commands.running.outcome import RunOptions
from dap_ai.debuggees.native.launch.native_job import NativeJob
from dap_ai.debuggees.native.launch.native_program import Core, NativeProgram
from dap_ai.debuggees.native.launch.target import NativeTarget
from dap_ai.protocol.wire.errors import RequestFailed
from tests.patience import patient
from tests.unit.debuggees.runs.commands.test_run import ANSWER, TERMINATED, FakeClient, FakeDisplay, FakePrompt, ended

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

PROGRAM = NativeProgram("/p", (), "/", {})
STOPPED = ("stopped", {"reason": "exception", "description": "signal SIGSEGV: address not mapped", "threadId": 1})
AT_A_BREAKPOINT = ("stopped", {"reason": "breakpoint", "threadId": 1})
ATTACHED = ("stopped", {"reason": "attach", "threadId": 1})
KILLED = [("exited", {"exitCode": 11}), TERMINATED]
NO_PROCESS = 2**22 + 1
"""More than Linux has."""


def run(script=None, **wishes):
    started = ("process", {"systemProcessId": NO_PROCESS})
    usual = {"ask": [[ANSWER, ended()]], "configurationDone": [[started, STOPPED]], "continue": [KILLED]}
    client, display = FakeClient({**usual, "attach": [[("initialized", {})]], **(script or {})}), FakeDisplay()
    adapter = wishes.pop("adapter", "lldb")
    about = {"program": PROGRAM} | {
        n: wishes.pop(n) for n in ("program", "pid", "core", "stops_at_panics") if n in wishes
    }
    wanted = {"question": "", "level": "compute", "breakpoints": (), "exceptions": ("uncaught",), **wishes}
    target = NativeTarget(adapter, NativeJob(adapter, display.program_output), **about)

    async def main():
        run_ = AskRun(client, display, target, RunOptions(**wanted), FakePrompt(()))
        return await asyncio.wait_for(run_.run(), patient(5))

    return asyncio.run(main()), client, display


def test_after_the_answer_the_signal_ends_the_program():
    outcome, client, display = run()
    assert client.commands()[-1] == "continue"
    assert outcome.program_status == 139
    assert ("exited", 139, "the program was killed by SIGSEGV") in display.calls


def test_output_that_comes_after_the_stop_is_shown_before_it():
    late = ("output", {"category": "stdout", "output": "the last words\r\n"})
    _, _, display = run({"configurationDone": [[STOPPED, late]]})
    names = [call[0] for call in display.calls]
    assert names.index("program_output") < names.index("stopped")


def test_before_the_silence_of_an_adapter_counts_it_has_answered():
    """On a busy machine its output may come later than any time that is worth waiting; its answer comes after it."""
    late = ("output", {"category": "stdout", "output": "the last words\r\n"})
    _, client, display = run({"configurationDone": [[STOPPED]], "threads": [[late], []]})
    names = [call[0] for call in display.calls]
    assert names.index("program_output") < names.index("stopped")
    assert client.commands().count("threads") == 1


def test_a_core_file_is_let_go_after_the_answer():
    outcome, client, _ = run({"configurationDone": [[STOPPED]]}, program=None, core=Core("/core", "/p"))
    assert dict(client.requests)["attach"]["coreFile"] == "/core"
    assert client.requests[-1] == ("disconnect", {"terminateDebuggee": False})
    assert "continue" not in client.commands()
    assert outcome.status() == 0


def test_a_core_file_that_lldb_cannot_read_earns_the_name_of_who_may():
    script = {"attach": [RequestFailed("attach", "failed", "it is cut off")]}
    with pytest.raises(RequestFailed, match="--backend gdb"):
        run(script, program=None, core=Core("/core", "/p"))


def test_a_process_stops_where_it_is_and_is_left_running():
    outcome, client, _ = run({"configurationDone": [[STOPPED]]}, program=None, pid=7, exceptions=())
    assert dict(client.requests)["attach"]["stopOnEntry"] is True
    assert "pause" not in client.commands()
    assert client.requests[-1] == ("disconnect", {"terminateDebuggee": False})
    assert outcome.status() == 0


def test_on_the_way_to_a_breakpoint_the_stop_of_gdbs_attach_is_passed():
    script = {"configurationDone": [[ATTACHED]], "continue": [[AT_A_BREAKPOINT]]}
    _, client, display = run(script, program=None, pid=7, adapter="gdb", breakpoints=[BreakpointOption("/p.c", 3)])
    assert [body["reason"] for body in display.texts("stopped")] == ["breakpoint"]
    assert client.commands().count("ask") == 1


def test_a_panic_of_rust_is_called_so():
    hit = ("stopped", {"reason": "breakpoint", "description": "breakpoint 1.1", "threadId": 1, "hitBreakpointIds": [4]})
    client_bodies = {"setFunctionBreakpoints": {"breakpoints": [{"id": 4, "verified": True}]}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.unit.debuggees.runs.commands.test_run.BODIES", client_bodies | {"ask": BODIES_OF_ASK})
        _, _, display = run({"configurationDone": [[hit]]}, stops_at_panics=True)
    assert display.texts("stopped")[0]["description"] == "panic"


BODIES_OF_ASK = {"askId": "ask-1", "conversationId": "c-1"}


def test_a_program_that_is_not_rusts_gets_no_breakpoint_of_ours():
    assert "setFunctionBreakpoints" not in run()[1].commands()


NO_PLUGIN = 'warning: this version of LLDB has no plugin for the language "rust".\n'
NOT_READ = (
    "error: bag 0x0000402b: DW_TAG_member '_M_t' refers to type 0x00000000000044f2 which was unable to be parsed\n"
)


def said(category, text, **wishes):
    event = ("output", {"category": category, "output": text})
    _, _, display = run({"configurationDone": [[event, STOPPED]]}, **wishes)
    return " ".join(
        [*display.texts("status"), *(str(call[1:]) for call in display.calls if call[0] == "program_output")]
    )


@pytest.mark.parametrize("text", [NO_PLUGIN, NOT_READ])
@pytest.mark.parametrize("category", ["important", "stderr"])
def test_what_lldb_says_of_its_own_reading_of_debug_information_is_no_news(category: str, text: str):
    assert text[:20] not in said(category, text)


def test_of_an_event_with_such_a_line_the_others_are_shown():
    shown = said("stderr", f"one\n{NOT_READ}two\n")
    assert "one" in shown
    assert "two" in shown
    assert "DW_TAG" not in shown


def test_a_verbose_run_shows_what_lldb_says_of_its_own_reading():
    assert "DW_TAG_member" in said("important", NOT_READ, verbose=True)


def test_the_same_words_of_the_program_itself_are_shown():
    assert "DW_TAG_member" in said("stdout", NOT_READ)

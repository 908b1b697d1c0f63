"""Acting on the program: asked for each time, told truly, and what was known before is forgotten after."""

from __future__ import annotations

import asyncio
import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.case.evidence import confirm
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.guard.policy import Policy
from dap_ai.agent.guard.tool_gate import MAX_DENIALS, ToolGate
from dap_ai.agent.guard.watched_debugger import Watched
from dap_ai.agent.loop.toolbox import MAX_REFUSED, Toolbox
from dap_ai.agent.model_port import ToolCall
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.action_tools import execute
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.report_tool import ReportTool
from dap_ai.protocol.contracts.debugger import ActionResult
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.contracts.tool_arguments import Step, ToolArguments
from dap_ai.protocol.wire.ask_messages import AskArguments, Evidence, Usage
from dap_ai.protocol.wire.errors import NotStopped
from dap_ai.protocol.wire.safe import as_it_is
from dap_ai.settings.configuration import Settings
from tests.unit.agent.acting_debugger import ALWAYS, NO, NOBODY, UNSEEN, YES, Acting, acting
from tests.unit.agent.harness import Heard, fail

PROGRAM = """
def inner(n):
    return [][n]

def outer(n):
    mine = n * 2
    return inner(mine)

outer(3)
"""
ACTING = {"step", "continue_to", "set_breakpoint", "execute", "set_variable"}
EXECUTE = ("execute", {"expression": "n + 1"})


@pytest.fixture
def program(tmp_path: Path) -> Acting:
    path = tmp_path / "shop.py"
    path.write_text(textwrap.dedent(PROGRAM))
    return acting(fail(path))


class Talk:
    """A toolbox over a stop, at the level mutate unless told otherwise."""

    def __init__(self, debugger: Acting, **policy: Any) -> None:
        self.debugger = debugger
        self.policy = Policy(**{"level": "mutate", **policy})
        self.heard, self.usage, self.rows, self.report = Heard(), Usage(), [], ReportTool()

    async def open(self) -> Toolbox:
        watched = Watched(self.debugger, self.heard)
        case = await StopReader(self.debugger, Sources(), self.policy.level).read(self.debugger.stop)  # type: ignore[arg-type]
        self.debugger.calls.clear()
        gate = ToolGate(self.policy, watched, self.heard, self.rows.append)
        self.bench = ToolContext(watched, case, as_it_is, gate=gate)
        return Toolbox(self.bench, self.heard, self.usage, self.report, "data-1")

    def calls(self, *calls: tuple[str, dict[str, Any]]) -> list[str]:
        async def work() -> list[str]:
            toolbox = await self.open()
            self.toolbox = toolbox
            return [await toolbox.call(ToolCall(str(n), name, json.dumps(a))) for n, (name, a) in enumerate(calls)]

        return asyncio.run(work())

    def offered(self) -> set[str]:
        return {schema["function"]["name"] for schema in asyncio.run(self.open()).schemas}


# -- what is offered, and what is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "offered"), [("observe", set()), ("compute", set()), ("mutate", ACTING)])
def test_a_model_is_told_of_what_acts_at_the_level_mutate_only(program: Acting, level: str, offered: set[str]):
    assert Talk(program, level=level).offered() & ACTING == offered


@pytest.mark.parametrize("name", sorted(ACTING))
def test_below_mutate_what_acts_is_refused_with_what_to_do_instead_and_nobody_is_asked(program: Acting, name: str):
    arguments = {"step": {}, "continue_to": {"file": "shop.py", "line": 3}, "execute": {"expression": "n"}}
    arguments |= {"set_breakpoint": {"file": "shop.py", "line": 3}, "set_variable": {"expression": "n", "value": "1"}}
    (result,) = Talk(program, level="compute").calls((name, arguments[name]))

    assert "it needs the level mutate" in result and "Instead, " in result
    assert (program.asked, program.done) == ([], [])


def test_an_action_is_done_once_the_user_has_allowed_it(program: Acting):
    program.said, program.does = [YES], lambda _: ActionResult("4")
    (result,) = Talk(program).calls(("execute", {"expression": " n + 1", "reason": "I want\nto \x1b[1msee"}))

    assert program.asked == [("execute", "n + 1", r"I want to \x1b[1msee")]
    assert [(action.tool, action.expression) for action in program.done] == [("execute", "n + 1")]
    assert program.frame_ids == [1]
    assert "in the program itself, returned:" in result


def test_the_user_sees_the_value_that_an_assignment_would_replace(program: Acting):
    program.said = [NO, NO]
    Talk(program).calls(
        ("set_variable", {"expression": "n", "value": "0"}),
        ("set_variable", {"expression": "unknown", "value": "0"}),
    )
    assert program.shown == ["6", ""]


def test_the_user_sees_the_frame_of_an_action_that_is_in_another_one(program: Acting):
    Talk(program).calls(("set_variable", {"expression": "mine", "value": "0", "frame": 1}))

    assert program.asked == [("set_variable", "mine = 0  # in frame 1", "")]


@pytest.mark.parametrize(
    ("answer", "words"), [(NO, "the user said no"), (NOBODY, "nobody answered in time"), (UNSEEN, "there is nobody")]
)
def test_what_the_user_does_not_allow_is_not_done_and_says_what_to_do_instead(program: Acting, answer: Any, words: str):
    program.said = [answer]
    (result,) = Talk(program).calls(EXECUTE)

    assert words in result and execute.alternative in result
    assert program.done == []


def test_the_same_call_is_not_asked_again_whatever_its_reason(program: Acting):
    first, second = Talk(program).calls(EXECUTE, ("execute", {"expression": "n + 1", "reason": "please"}))

    assert (len(program.asked), second) == (1, first)


def test_after_three_refusals_nothing_is_asked_any_more(program: Acting):
    results = Talk(program).calls(*[("execute", {"expression": f"n + {n}"}) for n in range(6)])

    assert len(program.asked) == MAX_DENIALS == 3
    assert all("none is asked for any more" in result for result in results[3:])


@pytest.mark.parametrize(
    "policy", [{"unsafe": True}, {"allow": ("execute",)}, {"allow": ("execute n + 1",)}], ids=["unsafe", "tool", "call"]
)
def test_what_is_allowed_beforehand_is_done_without_asking(program: Acting, policy: dict[str, Any]):
    program.does = lambda _: ActionResult("4")
    Talk(program, **policy).calls(EXECUTE)

    assert (program.asked, len(program.done)) == ([], 1)


def test_what_is_denied_beforehand_is_refused_without_asking_and_not_offered(program: Acting):
    talk = Talk(program, deny=("execute",), unsafe=True)
    (result,) = talk.calls(EXECUTE)

    assert "the user's list `deny` has `execute`" in result
    assert "execute" not in talk.offered()
    assert (program.asked, program.done) == ([], [])


@pytest.mark.parametrize(
    "expression",
    ["n +\n1", "n # \u202e txen", "'\u200b' + n", "f('\x1b[2J')", "x" * 1001, "n\u2028+1"],
    ids=["line end", "right to left", "zero width", "escape", "too long", "line separator"],
)
def test_what_a_user_could_not_see_is_refused_without_asking(program: Acting, expression: str):
    Talk(program).calls(("execute", {"expression": expression}))

    assert (program.asked, program.done) == ([], [])


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("execute", {"expression": "import os"}, "cannot be evaluated"),
        ("execute", {"expression": "n", "frame": 9}, "There is no frame 9"),
        ("set_variable", {"expression": "f()", "value": "1"}, "name a variable, an attribute or an item"),
        ("set_variable", {"expression": "n", "value": "1; 2"}, "cannot be evaluated"),
        ("set_breakpoint", {"file": "shop.py", "line": 99}, "has no line 99"),
        ("set_breakpoint", {"file": "/etc/group", "line": 1}, "outside of the program's folders"),
        ("set_breakpoint", {"file": "shop.py", "line": 3, "condition": "n ="}, "cannot be evaluated"),
        ("continue_to", {"file": "gone.py", "line": 1}, "there is no file gone.py"),
    ],
)
def test_what_cannot_be_done_is_said_and_the_user_is_not_bothered(
    program: Acting, name: str, arguments: dict[str, Any], words: str
):
    (result,) = Talk(program).calls((name, arguments))

    assert words in result
    assert (program.asked, program.done) == ([], [])


def test_the_user_sees_the_whole_path_of_the_file_that_is_meant(program: Acting):
    path = program.program
    Talk(program).calls(("set_breakpoint", {"file": "shop.py", "line": 3, "condition": "n > 5"}))

    assert program.asked == [("set_breakpoint", f"{path}:3 if n > 5", "")]


# -- what comes of it -----------------------------------------------------------------------------------------------


def stepped(program: Acting) -> Acting:
    """Each step leaves the innermost frame."""
    program.said, program.does = [YES, ALWAYS], lambda _: program.arrive(program.frames[1:])
    return program


def test_a_step_shows_the_new_stop_as_a_frame(program: Acting):
    (result,) = Talk(stepped(program)).calls(("step", {"how": "stepOut"}))

    assert program.done == [Step("stepOut")]
    assert "(step). Frames are numbered anew." in result
    assert "#0 outer" in result and "mine = 6" in result


def test_after_a_step_frames_are_those_of_the_new_stop(program: Acting):
    call = ("variables", {"expression": "n"})
    before, _, after = Talk(stepped(program)).calls(call, ("step", {}), call)

    assert ("6" in before, "3" in after, "The same call returned" in after) == (True, True, False)


def test_each_step_is_made_and_none_is_answered_from_memory(program: Acting):
    Talk(stepped(program)).calls(("step", {}), ("step", {}))

    assert len(program.done) == 2


@pytest.mark.parametrize("action", [EXECUTE, ("set_variable", {"expression": "n", "value": "7"})])
def test_what_was_read_is_forgotten_after_a_change(program: Acting, action: Any):
    program.said, program.does = [YES], lambda _: ActionResult("7")
    _, _, again = Talk(program).calls(*[("evaluate", {"expression": "n"})], action, ("evaluate", {"expression": "n"}))

    assert "The same call returned" not in again


def test_a_program_that_has_ended_is_said_to_have(program: Acting):
    program.said, program.does = [YES], lambda _: program.arrive([])
    step, later = Talk(program).calls(("step", {"how": "continue"}), ("evaluate", {"expression": "n"}))

    assert "The program has ended" in step
    assert later


def test_a_program_that_runs_on_is_said_to(program: Acting):
    program.said, program.does = [YES], lambda _: ActionResult()
    (result,) = Talk(program).calls(("step", {"how": "continue"}))

    assert "is running and has not stopped again" in result


def test_to_stop_before_the_line_that_was_wanted_is_said(program: Acting):
    (result,) = Talk(stepped(program)).calls(("continue_to", {"file": "shop.py", "line": 6}))

    assert result.startswith("<data-1>\nIt did not reach line 6. Stopped at `")


def test_a_new_stop_that_cannot_be_read_never_leaves_the_old_one_in_its_place(program: Acting):
    def go_on(_: Any) -> ActionResult:
        program.epoch += 1
        program.ends_after = len(program.calls)
        return ActionResult(stop=program.stop)

    program.said, program.does = [YES], go_on
    talk = Talk(program)
    (result,) = talk.calls(("step", {}))

    assert "It could not be read" in result
    assert (talk.bench.case.frames, talk.bench.case.stop.epoch) == ([], 2)


def test_a_stop_that_came_without_being_told_is_read_before_the_next_call(program: Acting):
    async def work() -> str:
        toolbox = await talk.open()
        program.arrive(program.frames[1:])
        return await toolbox.call(ToolCall("1", "variables", '{"expression": "n"}'))

    talk = Talk(program)
    assert "3" in asyncio.run(work())


def test_an_action_that_fails_says_why(program: Acting):
    program.said = [YES]
    (result,) = Talk(program).calls(("step", {}))

    assert "the debug adapter refuses it" in result


def test_a_stop_that_is_over_when_the_user_answers_is_told_and_nothing_is_done(program: Acting):
    async def over(*_: str) -> Any:
        raise NotStopped("approve")

    program.approve = over  # type: ignore[method-assign]
    (result,) = Talk(program).calls(("step", {}))

    assert ("its stop is over" in result, program.done) == (True, [])


# -- what is kept of it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "said", "outcome", "how"),
    [
        ({}, [YES], "allowed", "once"),
        ({}, [ALWAYS], "allowed", "session"),
        ({}, [NO], "refused", "denied"),
        ({}, [NOBODY], "refused", "timeout"),
        ({"unsafe": True}, [], "allowed", "unsafe"),
        ({"allow": ("execute",)}, [], "allowed", "allow: execute"),
        ({"deny": ("execute",)}, [], "refused", "deny: execute"),
        ({"level": "compute"}, [], "refused", "level compute"),
    ],
)
def test_each_decision_is_recorded_and_told(
    program: Acting, policy: dict[str, Any], said: list[Any], outcome: str, how: str
):
    program.said, program.does = said, lambda _: ActionResult("4")
    talk = Talk(program, **policy)
    talk.calls(("execute", {"expression": "n + 1", "reason": "to see"}))

    row = {"role": "consent", "tool": "execute", "action": "n + 1", "reason": "to see", "outcome": outcome, "how": how}
    assert talk.rows == [row]
    assert f"{outcome} ({how}): execute n + 1" in talk.heard.text("status")


@pytest.mark.parametrize(("allow", "told"), [(("execute",), True), ((), False)])
def test_the_reason_of_an_action_is_told_where_the_user_was_not_asked(
    program: Acting, allow: tuple[str, ...], told: bool
):
    program.said, program.does = [YES], lambda _: ActionResult("4")
    talk = Talk(program, allow=allow)
    talk.calls(("execute", {"expression": "n + 1", "reason": "to see"}))

    assert ("; its reason: to see" in talk.heard.text("status")) == told
    assert "to see" not in talk.heard.text("tool")


def test_what_only_reads_is_no_decision(program: Acting):
    talk = Talk(program)
    talk.calls(("stack", {}), ("evaluate", {"expression": "n"}))

    assert (talk.rows, talk.heard.text("status")) == ([], "")


# -- a model that does not take no for an answer --------------------------------------------------------------------


def test_after_ten_refusals_in_a_row_no_tool_is_left(program: Acting):
    talk = Talk(program, level="compute")
    results = talk.calls(*[EXECUTE] * 50)

    assert talk.toolbox.schemas == []
    assert "no further call is made" in results[MAX_REFUSED - 1]
    assert set(results[MAX_REFUSED:]) == {results[-1]}
    assert talk.usage.tool_calls == 50
    assert len(talk.rows) == MAX_REFUSED


def test_a_call_that_is_made_starts_the_count_anew(program: Acting):
    talk = Talk(program, level="compute")
    talk.calls(*[*[EXECUTE] * 9, ("stack", {})] * 3)

    assert talk.toolbox.schemas


@pytest.mark.parametrize(
    "name", ["step\nexecute", "\x1b[31mstep", "st\u0435p", "\uff53tep", "step ", "STEP", "x" * 100_000, "", "step\0"]
)
def test_a_name_that_only_looks_like_a_tools_is_none(program: Acting, name: str):
    talk = Talk(program, unsafe=True)
    (result,) = talk.calls((name, {}))
    told = [text for _, text, _ in talk.heard.items]

    assert "There is no tool" in result and len(result) < 1000
    assert program.done == []
    assert all(text.isprintable() and len(text) < 1000 for text in told)


@pytest.mark.parametrize(
    "arguments",
    ["[" * 100_000, '{"a":' * 50_000, '{"expression": "' + "x" * 1_000_000 + '"}', '{"expression": "\\ud800"}'],
)
def test_arguments_that_are_huge_or_deep_are_answered(program: Acting, arguments: str):
    async def work() -> str:
        return await (await talk.open()).call(ToolCall("1", "evaluate", arguments))

    talk = Talk(program)
    assert "are invalid" in asyncio.run(work())
    assert all(len(text) < 3000 for _, text, _ in talk.heard.items)


# -- through the agent ----------------------------------------------------------------------------------------------


def asked(debugger: Acting, call: ToolArguments, **settings: Any) -> tuple[Answer, Heard]:
    """What a tool that is asked for by name gives, through the agent."""
    heard = Heard()
    ask = AcceptedAsk("ask-1", "c1", AskArguments(question=call.tool), call)
    agent = SessionAgent(Settings(level="mutate", **settings), {})
    return asyncio.run(agent.answer(ask, debugger, heard)), heard


def test_a_tool_that_is_asked_for_by_name_needs_the_same_consent(program: Acting):
    answer, heard = asked(program, Step())

    assert (program.asked, program.done) == ([("step", "next", "")], [])
    assert "the user said no" in answer.text
    assert "refused (denied): step next" in heard.text("status")


def test_unsafe_warns_at_each_question(program: Acting):
    answer, heard = asked(stepped(program), Step(), unsafe=True)

    assert "WARNING: unsafe" in heard.text("status")
    assert "#0 outer" in answer.text and not answer.stale


def test_what_was_read_at_an_earlier_stop_stays_unconfirmed(program: Acting):
    async def confirmed(epoch: int) -> bool:
        reader = StopReader(program, Sources(), "mutate")
        case = await reader.read(program.stop)  # type: ignore[arg-type]
        frame = case.frames[0]
        answer = Answer(evidence=[Evidence("n", "6", frame.path, frame.line, frame.id, 1, epoch, confirmed=False)])
        await confirm(answer, case, reader, program, Heard())
        return answer.evidence[0].confirmed

    program.epoch = 2
    assert (asyncio.run(confirmed(1)), asyncio.run(confirmed(2))) == (False, True)

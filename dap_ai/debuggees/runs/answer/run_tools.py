"""Tools for a model to inspect a recorded run while the session is stopped.

The tools read the run's files directly, not through the debugger. All text of a run is fenced as data. Secrets are
masked before a text is truncated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from dap_ai.agent.tools.base import NO_FRAME, A, Tool, ToolContext, ToolResult, clip
from dap_ai.agent.tools.evaluate import EvaluateTool
from dap_ai.agent.tools.variables_tool import VariablesTool, listed_by_adapter
from dap_ai.debuggees.runs.answer import change_pages, run_pages
from dap_ai.debuggees.runs.answer.run_at_stop import RunAtStop, read_run_at_stop, there_are
from dap_ai.protocol.contracts import run_tool_arguments as arguments_of
from dap_ai.protocol.contracts.tool_arguments import EvaluateToolArguments, VariablesToolArguments
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.system.texts import code, fenced

NO_OTHER_RUN = "No other run was named: `dap-ai ask --run RUN --against RUN2`."
_MAX_CHARS = 12_000
"""Maximum characters of a shown value."""


def tool_result(head: str, text: str, nothing: str = "") -> ToolResult:
    """Return a tool result with the sentence `head` and the run's `text` in a fence.

    If `text` is empty, the result is `nothing` or else `head`.
    """
    return ToolResult(f"{head}\n\n{fenced(text)}" if text else nothing or head)


def _no_step(held: RunAtStop, *numbers: int) -> ToolResult | None:
    missing = next((number for number in numbers if number not in held.steps), None)
    return None if missing is None else ToolResult(f"There is no step {missing}: {there_are(held.steps)}.", failed=True)


class _RunTool(Tool[A]):
    level = "observe"
    only = "run"

    async def run(self, bench: ToolContext, arguments: A) -> ToolResult:
        held = await read_run_at_stop(bench)
        return await asyncio.to_thread(self._look, held, arguments)

    def _look(self, held: RunAtStop, arguments: A) -> ToolResult:
        raise NotImplementedError


class StepsTool(_RunTool[arguments_of.StepsArguments]):
    """A page of steps with number, effect, failure, call and result."""

    description = "A page of steps, a row each: effect (explore, change, verify, ...), status, call, outcome."
    arguments = arguments_of.StepsArguments

    def _look(self, held: RunAtStop, arguments: arguments_of.StepsArguments) -> ToolResult:
        rows = run_pages.step_rows(held, arguments.first, arguments.count, arguments.kind, failed=arguments.failed)
        return tool_result(f"Of {held.run.steps} steps:", "\n".join(rows), "No step fits.")


class RunStepTool(_RunTool[arguments_of.RunStepArguments]):
    """One step with response, call and result. With `part`, a page of that part from character `start` on."""

    description = "One step: what was said, called, returned. Long parts by pages: `part` with `start`."
    arguments = arguments_of.RunStepArguments
    main = "{number}"

    def _look(self, held: RunAtStop, arguments: arguments_of.RunStepArguments) -> ToolResult:
        number = arguments.number
        if missing := _no_step(held, number):
            return missing
        if arguments.part:
            text = run_pages.part_page(held, number, arguments.part, arguments.start)
            return tool_result(f"Step {number}:", text)
        return tool_result(f"{step_head(held, number)}:", run_pages.step_page(held, number))


class RunSearchTool(_RunTool[arguments_of.RunSearchArguments]):
    """Lines of the run that contain a text, with their step numbers."""

    description = "Lines of the whole run where a text stands (`a|b`: either), with their steps."
    arguments = arguments_of.RunSearchArguments
    main = "{text}"

    def _look(self, held: RunAtStop, arguments: arguments_of.RunSearchArguments) -> ToolResult:
        rows, count = run_pages.found_rows(held, arguments.text, arguments.start)
        end = arguments.start + len(rows)
        more = f"; more with start {end}" if end < count else ""
        head = f"Lines {arguments.start + 1} to {end} of {count} that match{more}:"
        return tool_result(head, "\n".join(rows), "It stands nowhere.")


class DiffTool(_RunTool[arguments_of.DiffArguments]):
    """Differences between two steps: response, call, result. With `workspace`, the changes of files between them."""

    description = "Two steps beside each other (said, called, got); with `workspace`, the files between them."
    arguments = arguments_of.DiffArguments
    main = "{first} {second}"

    def _look(self, held: RunAtStop, arguments: arguments_of.DiffArguments) -> ToolResult:
        first, second = arguments.first, arguments.second
        if arguments.workspace:
            first, second = sorted((first, second))
            if missing := _no_step(held, second):
                return missing
            text = change_pages.changed_between(held, first, second)
            return tool_result(
                f"Files after step {first}, up to step {second}:", text, "No file was changed between them."
            )
        if missing := _no_step(held, first, second):
            return missing
        return tool_result(
            f"Steps {first} and {second}:", change_pages.step_differences(held, first, second), "They are the same."
        )


class TreeTool(_RunTool[arguments_of.TreeArguments]):
    """Changes and checks with their results, in the agent's own words. With `whole`, all steps as a tree of states."""

    description = "The agent's own words of what it changed and checked, and the outcomes; `whole`: every step."
    arguments = arguments_of.TreeArguments

    def _look(self, held: RunAtStop, arguments: arguments_of.TreeArguments) -> ToolResult:
        rows = run_pages.tree_rows(held, arguments.first, whole=arguments.whole)
        return tool_result("Its steps:", "\n".join(rows), "It changed and checked nothing.")


class WorkspaceTool(_RunTool[arguments_of.WorkspaceArguments]):
    """Changed files and the steps that changed them. With `path`, a file's text after a step, if the calls show it."""

    description = "Files that were changed, and by which steps; with `path` what is known of one's text after `step`."
    arguments = arguments_of.WorkspaceArguments
    main = "{path}"

    def _look(self, held: RunAtStop, arguments: arguments_of.WorkspaceArguments) -> ToolResult:
        if arguments.step and (missing := _no_step(held, arguments.step)):
            return missing
        if arguments.path:
            head, text = change_pages.file_page(held, arguments.path, arguments.step, arguments.start)
            return tool_result(head, text)
        when = f"Up to step {arguments.step}" if arguments.step else "In the whole run"
        return tool_result(
            f"{when}:", "\n".join(change_pages.file_rows(held, arguments.step)), f"{when}, no file was changed."
        )


class ChecksTool(_RunTool[arguments_of.ChecksArguments]):
    """Each test, build or program that checked the work, with its result."""

    description = "Each test, build or program that judged the work, and how it came out."
    arguments = arguments_of.ChecksArguments

    def _look(self, held: RunAtStop, arguments: arguments_of.ChecksArguments) -> ToolResult:
        del arguments
        return tool_result("Its checks:", "\n".join(run_pages.check_rows(held.analysis.checks)), "Nothing was checked.")


class CompareTool(_RunTool[arguments_of.CompareArguments]):
    """The first change that differs from another run of the same task. The user names the other run."""

    description = "The first change in which this run differs from the other one of the same task."
    arguments = arguments_of.CompareArguments

    def is_offered(self, bench: ToolContext) -> bool:
        """Return whether the user named another run."""
        return bool(bench.case.inspection.against)

    def _look(self, held: RunAtStop, arguments: arguments_of.CompareArguments) -> ToolResult:
        del arguments
        head, diff = change_pages.beside(held)
        if not head:
            return ToolResult(NO_OTHER_RUN, failed=True)
        return tool_result(head, diff)


def step_head(held: RunAtStop, number: int) -> str:
    """Return a heading for a step, e.g. `Step 7 of 38, explore, its check failed`."""
    effect, check = run_pages.effect_of(held, number), run_pages.check_of(held, number)
    words = [f"Step {number} of {held.run.steps}", effect.kind if effect else ""]
    if effect and (effect.refused or effect.noop):
        words.append("refused by its tool" if effect.refused else "did nothing")
    if check and check.ok is not None:
        words.append("its check came out well" if check.ok else "its check failed")
    return ", ".join(filter(None, words))


class RunEvaluate(EvaluateTool):
    """Evaluates a field of the current event or a console command of the run. Never runs code."""

    async def run(self, bench: ToolContext, arguments: EvaluateToolArguments) -> ToolResult:
        """Return the debug adapter's response."""
        if bench.focus is None:
            return NO_FRAME
        wanted = {"expression": arguments.expression, "frameId": bench.frame_id, "context": "hover"}
        try:
            body = await bench.debugger.request("evaluate", wanted)
        except NotStopped:
            raise
        except RequestFailed as error:
            return ToolResult(f"{code(arguments.expression)} was not read: {error.user_text}.", failed=True)
        return ToolResult(fenced(clip(str(body.get("result", "")), _MAX_CHARS)))


class RunVariables(VariablesTool):
    """Lists the fields of the current event of the run."""

    async def run(self, bench: ToolContext, arguments: VariablesToolArguments) -> ToolResult:
        """Return the variables that the debug adapter lists."""
        return NO_FRAME if bench.focus is None else await listed_by_adapter(bench, arguments)


TOOLS: tuple[Tool[Any], ...] = (
    *(StepsTool(), RunStepTool(), RunSearchTool(), DiffTool()),
    *(TreeTool(), WorkspaceTool(), ChecksTool(), CompareTool()),
)
FORMS: Mapping[str, Tool[Any]] = {tool.name: tool for tool in (RunEvaluate(), RunVariables(), *TOOLS)}
"""Tools for runs by name, including the core tools that the debug adapter for runs supports."""

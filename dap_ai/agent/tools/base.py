"""Base of all tools: a name, a description, a struct of arguments, and a run over the stopped program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec

from dap_ai.agent.case.debuggee_kind import kind_of
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.guard.policy import Policy
from dap_ai.agent.guard.tool_gate import ToolGate
from dap_ai.agent.language.language_servers import LanguageServers
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.sanitize import SyntaxRefused, parse_expression
from dap_ai.agent.source.source_file import Sources
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.ask_messages import LEVELS, Fix, Level, Suspect
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.protocol.wire.safe import Safe
from dap_ai.system.texts import code

A = TypeVar("A", bound=ToolArguments)


@dataclass
class ToolContext:
    """Everything a tool works with: the stopped program and the values read from it."""

    debugger: Debugger
    case: StopSnapshot
    mask: Callable[[str], Safe]
    """Masks the secrets in a tool's result."""
    chosen: FramePlace | None = None
    """The frame that a call names, if any."""
    language: LanguageServers | None = None
    """The session's language servers, if any."""
    gate: ToolGate | None = None
    """Gate that decides on calls; if None, `passes` uses the case's level alone."""

    @property
    def passes(self) -> ToolGate:
        """The gate that every tool call passes."""
        return self.gate or ToolGate(Policy(self.level), self.debugger)

    @property
    def focus(self) -> FramePlace | None:
        """The frame in which expressions are evaluated."""
        return self.chosen or self.case.focus

    async def at(self, number: int | None) -> ToolContext:
        """Returns a context for the frame of this number in the stack. Raises NoFrame, NotStopped, RequestFailed."""
        if number is None:
            return self
        frame = await self._frame(number)
        place = next((p for p in self.case.places if p.frame.id == frame.id), None)
        if place is None:
            place = await StopReader(self.debugger, self.sources, self.level).place(self.case, frame)
        return replace(self, chosen=place)

    async def _frame(self, number: int) -> StackFrame:
        frames, total = self.case.frames, self.case.total_frames
        if 0 <= number < len(frames):
            return frames[number]
        if number > 0 and (number < total or self.case.more_frames):
            reader = StopReader(self.debugger, self.sources, self.level)
            if found := await reader.frames(self.case.stop.thread_id, number, 1):
                return found[0]
        raise NoFrame(f"There is no frame {number}: the stack has the frames 0 to {max(total, len(frames)) - 1}.")

    @property
    def dialect(self) -> str:
        """Language of expressions: `python`, `c`, ..."""
        return kind_of(self.case).expression_language(self.focus.language if self.focus else "python")

    def form(self, tool: Tool[Any]) -> Tool[Any]:
        """Returns this kind of program's version of a tool."""
        return self.forms.get(tool.name, tool)

    @property
    def forms(self) -> Mapping[str, Tool[Any]]:
        """Tools by name that differ in this kind of program or exist only there."""
        return cast("HasForms", kind_of(self.case)).forms()

    def is_offered(self, tool: Tool[Any]) -> bool:
        """Whether a model may see a tool, in this kind of program's version."""
        among = cast("HasForms", kind_of(self.case)).offered
        return (among is None or tool.name in among) and tool.fits(self) and tool.is_offered(self)

    @property
    def frame_id(self) -> int:
        """Id of the focus frame; 0 if there is none."""
        return self.focus.frame.id if self.focus else 0

    @property
    def sources(self) -> Sources:
        """The program's source files."""
        return self.case.sources

    @property
    def level(self) -> Level:
        """Highest level of actions that are allowed."""
        return self.case.level

    def short(self, path: str) -> str:
        """Returns a path as shown to the user and a model: relative to the program's working directory if below it."""
        return shorten(path, self.case.inspection.cwd)

    async def snapshot(self, query: SnapshotQuery) -> tuple[SnapshotResult | None, str]:
        """Evaluates in a copy. Returns (result, ""), or (None, reason) if no copy can be made. Raises NotStopped."""
        if self.debugger.why_no_snapshot:
            return None, self.debugger.why_no_snapshot
        try:
            result = await self.debugger.snapshot(query)
        except NotStopped:
            raise
        except RequestFailed as error:
            return None, error.user_text
        if result.status.startswith("unavailable"):
            return None, result.status.partition(": ")[2] or "no copy could be made"
        return result, ""


class NoFrame(LookupError):  # noqa: N818  names what there is not
    """Raised for a frame number that the stack does not have; the text says which it has."""


@dataclass
class ToolResult:
    """Result of a tool call: Markdown for a reader, structure for a program."""

    text: str
    data: Any = None
    status: str = ""
    """Note about how the result was obtained: `evaluated under the allow-list, because ...`."""
    failed: bool = False
    """Whether the call failed; `text` says why and what to do instead."""
    suspects: list[Suspect] = field(default_factory=list[Suspect])
    fixes: list[Fix] = field(default_factory=list[Fix])
    refused: bool = False
    """Whether the policy or the user refused the call, so that nothing was done."""
    changed: bool = False
    """Whether the call changed the program, so that earlier values are no longer valid."""
    case: StopSnapshot | None = None
    """New snapshot to use from now on, if the program was changed."""


class Tool(Generic[A]):
    """One tool. Except at the level `mutate`, it changes nothing in the program, whatever its arguments.

    Its attributes describe it completely. docs/protocol.md shows a subclass's docstring in the column `gives`.
    """

    arguments: type[ToolArguments]
    """Struct that a call's arguments must match; it also has the tool's name."""
    level: Level
    """Lowest level at which the tool may be called; at `mutate` it also needs the user's confirmation."""
    description = ""
    """One line for a model or a menu."""
    main = ""
    """Format string for the main argument; empty if it has none."""
    alternative = ""
    """Clause after `Instead,` for a model whose call is refused."""
    title = ""
    """Name in an editor's own agent; empty if not offered there."""
    hint = ""
    """Further sentence for that agent, besides the class docstring."""
    lasting = True
    """Whether the same call in the same stop returns the same result."""
    only = ""
    """Kind of debuggee that the tool is for; empty for any."""
    instead = ""
    """Sentence about what to do in a program of another kind."""

    def __init__(self) -> None:
        """Checks the attributes that the policy needs. Raises TypeError if one is missing."""
        if getattr(self, "level", None) not in LEVELS:
            raise TypeError(f"{type(self).__name__} does not say at which level it may be called")
        if self.level != LEVELS[0] and not self.alternative:
            raise TypeError(f"{type(self).__name__} can be refused, and does not say what to do instead")
        self.name = self.arguments.tool
        """Tool name in a call."""

    def action(self, arguments: A) -> str:
        """Returns a call's main argument, as used in the user's lists and in confirmations; else the tool's name."""
        return self.main.format_map(msgspec.structs.asdict(arguments)) or self.name

    def deniable(self, arguments: A) -> Sequence[str]:
        """Returns the texts of a call of which one must match a `deny` pattern."""
        return [self.action(arguments)]

    def fits(self, bench: ToolContext) -> bool:
        """Whether the tool is for this kind of program."""
        return self.only in ("", bench.case.inspection.kind)

    def is_offered(self, bench: ToolContext) -> bool:
        """Whether the tool can do anything in this session; otherwise a model does not see it."""
        del bench
        return True

    async def exact(self, bench: ToolContext, arguments: A) -> A:
        """Returns the complete call to decide on and run. Raises UnreadableFileError, NotStopped, RequestFailed."""
        del bench
        return arguments

    async def now(self, bench: ToolContext, arguments: A) -> str:
        """Returns what the call would replace, for the confirmation; empty if nothing. Raises NotStopped."""
        del bench, arguments
        return ""

    async def run(self, bench: ToolContext, arguments: A) -> ToolResult:
        """Runs the call and returns its result, also if it failed. Raises NotStopped, RequestFailed."""
        raise NotImplementedError


class HasForms(Protocol):
    """Part of a debuggee kind that the tools use."""

    offered: frozenset[str] | None
    """Names of the tools that a model may see; None for all that can do anything."""

    def forms(self) -> Mapping[str, Tool[Any]]:
        """Returns the tools that differ in this kind or exist only there, by name."""
        ...


def refused(
    bench: ToolContext, expression: str, done: str, parse: Callable[[str], object] = parse_expression
) -> ToolResult | None:
    """Returns why an expression cannot be `done` (`evaluated`) in this stop; None if it can be tried."""
    if bench.focus is None:
        return NO_FRAME
    try:
        parse(expression)
    except SyntaxRefused as error:
        return ToolResult(f"{code(expression)} was not {done}: {error}.", failed=True)
    return None


NO_FRAME = ToolResult("There is no frame with source in this stop.", failed=True)
UNCHANGED = "in a snapshot; the program was not changed"


def clip(text: str, max_chars: int) -> str:
    """Returns the text, cut with a mark if it is longer."""
    return text if len(text) <= max_chars else f"{text[:max_chars]}\n... {len(text) - max_chars} characters more"

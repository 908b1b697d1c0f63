"""Base class of all tools, which read or change the stopped program, and the context that a tool runs in."""

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
    """Function that masks the secrets in a tool's result."""
    chosen: FramePlace | None = None
    """Frame that the call names; None if the call names no frame."""
    language: LanguageServers | None = None
    """The session's language servers, or None."""
    gate: ToolGate | None = None
    """Gate that decides about tool calls. If None, only the level of `case` decides."""

    @property
    def passes(self) -> ToolGate:
        """The gate that decides about every tool call."""
        return self.gate or ToolGate(Policy(self.level), self.debugger)

    @property
    def focus(self) -> FramePlace | None:
        """The frame in which expressions are evaluated."""
        return self.chosen or self.case.focus

    async def at(self, number: int | None) -> ToolContext:
        """Returns a context for the stack frame with this number. Raises NoFrame, NotStopped, RequestFailed."""
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
        """Language in which expressions are written, such as `python` or `c`."""
        return kind_of(self.case).expression_language(self.focus.language if self.focus else "python")

    def form(self, tool: Tool[Any]) -> Tool[Any]:
        """Returns the debuggee kind's own version of a tool, else the tool itself."""
        return self.forms.get(tool.name, tool)

    @property
    def forms(self) -> Mapping[str, Tool[Any]]:
        """Tools that the debuggee kind adds or replaces, by name."""
        return cast("HasForms", kind_of(self.case)).forms()

    def is_offered(self, tool: Tool[Any]) -> bool:
        """Whether a model may see the tool for this debuggee kind in this session."""
        among = cast("HasForms", kind_of(self.case)).offered
        return (among is None or tool.name in among) and tool.fits(self) and tool.is_offered(self)

    @property
    def frame_id(self) -> int:
        """DAP id of the focus frame; 0 without a focus frame."""
        return self.focus.frame.id if self.focus else 0

    @property
    def sources(self) -> Sources:
        """The source files of the program."""
        return self.case.sources

    @property
    def level(self) -> Level:
        """Highest level at which tools may act."""
        return self.case.level

    def short(self, path: str) -> str:
        """Returns the path to show: relative to the program's working directory if the file is in it."""
        return shorten(path, self.case.inspection.cwd)

    async def snapshot(self, query: SnapshotQuery) -> tuple[SnapshotResult | None, str]:
        """Evaluates in a snapshot. Returns (result, empty text), or (None, reason). Raises NotStopped.

        The reason tells why no snapshot can be made.
        """
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
    """Raised for a frame number that the stack does not have. The text names the valid numbers."""


@dataclass
class ToolResult:
    """Result of a tool call: `text` is Markdown for a reader, `data` is structured."""

    text: str
    data: Any = None
    status: str = ""
    """How the result was obtained: `evaluated under the allow-list, because ...`."""
    failed: bool = False
    """Whether the call failed. If so, `text` gives the reason and what to do instead."""
    suspects: list[Suspect] = field(default_factory=list[Suspect])
    fixes: list[Fix] = field(default_factory=list[Fix])
    refused: bool = False
    """Whether the policy or the user refused the call, so that the tool did not run."""
    changed: bool = False
    """Whether the call changed the program, so that values read earlier are no longer valid."""
    case: StopSnapshot | None = None
    """New snapshot of the stop, if the call changed the program."""


class Tool(Generic[A]):
    """Base class of a tool. Only a tool at the level `mutate` changes the program.

    The attributes describe the tool completely. docs/protocol.md shows a subclass's docstring in the column `gives`.
    """

    arguments: type[ToolArguments]
    """Struct of a call's arguments, which also holds the tool's name."""
    level: Level
    """Lowest level at which the tool may be called. At `mutate`, a call also needs the user's consent."""
    description = ""
    """One-line description for a model or a menu."""
    main = ""
    """Format string for the main argument of a call; empty if the tool has no main argument."""
    alternative = ""
    """Clause that completes `Instead, ...` for a model whose call is refused."""
    title = ""
    """Display name in an editor's own agent. Empty if that agent does not get the tool."""
    hint = ""
    """Sentence for an editor's own agent, in addition to the class docstring."""
    lasting = True
    """Whether a repeated call at the same stop returns the same result."""
    only = ""
    """Debuggee kind that the tool is for; empty for any kind."""
    instead = ""
    """Sentence about what to do in a program of another debuggee kind."""

    def __init__(self) -> None:
        """Checks the attributes that the policy needs. Raises TypeError if an attribute is missing."""
        if getattr(self, "level", None) not in LEVELS:
            raise TypeError(f"{type(self).__name__} does not say at which level it may be called")
        if self.level != LEVELS[0] and not self.alternative:
            raise TypeError(f"{type(self).__name__} can be refused, and does not say what to do instead")
        self.name = self.arguments.tool
        """Name of the tool in a call."""

    def action(self, arguments: A) -> str:
        """Returns the main argument of a call, for the user's lists and for confirmations.

        Without a main argument, returns the tool's name.
        """
        return self.main.format_map(msgspec.structs.asdict(arguments)) or self.name

    def deniable(self, arguments: A) -> Sequence[str]:
        """Returns strings of a call. The call is denied if a `deny` pattern matches one of these strings."""
        return [self.action(arguments)]

    def fits(self, bench: ToolContext) -> bool:
        """Whether the tool is for the stopped program's debuggee kind."""
        return self.only in ("", bench.case.inspection.kind)

    def is_offered(self, bench: ToolContext) -> bool:
        """Whether the tool can work in this session. Otherwise, a model does not see the tool."""
        del bench
        return True

    async def exact(self, bench: ToolContext, arguments: A) -> A:
        """Returns the call with complete arguments, to be decided about and run.

        Raises UnreadableFileError, NotStopped, RequestFailed.
        """
        del bench
        return arguments

    async def now(self, bench: ToolContext, arguments: A) -> str:
        """Returns the value that the call would replace, for the confirmation. Raises NotStopped.

        Empty if the call replaces no value.
        """
        del bench, arguments
        return ""

    async def run(self, bench: ToolContext, arguments: A) -> ToolResult:
        """Runs the call and returns its result, which may be a failure. Raises NotStopped, RequestFailed."""
        raise NotImplementedError


class HasForms(Protocol):
    """The members of a debuggee kind that the tools use."""

    offered: frozenset[str] | None
    """Names of the tools that a model may see. None offers every tool that can work."""

    def forms(self) -> Mapping[str, Tool[Any]]:
        """Returns the tools that this kind adds or replaces, by name."""
        ...


def refused(
    bench: ToolContext, expression: str, done: str, parse: Callable[[str], object] = parse_expression
) -> ToolResult | None:
    """Returns why an expression cannot be used at this stop, or None. `done` is a word such as `evaluated`."""
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
    """Returns the text. A longer text is cut, with a mark that counts the rest."""
    return text if len(text) <= max_chars else f"{text[:max_chars]}\n... {len(text) - max_chars} characters more"

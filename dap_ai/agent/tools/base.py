"""What a tool is: a name, a line about it, a Struct of arguments, and a run over the stopped program."""

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
    """What a tool works with: the stopped program, and what was read of it."""

    debugger: Debugger
    case: StopSnapshot
    mask: Callable[[str], Safe]
    """Takes the secrets out of what a tool says."""
    chosen: FramePlace | None = None
    """The frame that a call names."""
    language: LanguageServers | None = None
    """The session's; None: there is none."""
    gate: ToolGate | None = None
    """What decides on calls; None: the level of the case alone, as `passes` has it."""

    @property
    def passes(self) -> ToolGate:
        """What every call of a tool passes."""
        return self.gate or ToolGate(Policy(self.level), self.debugger)

    @property
    def focus(self) -> FramePlace | None:
        """The frame that expressions are of."""
        return self.chosen or self.case.focus

    async def at(self, number: int | None) -> ToolContext:
        """The same with the frame of this number in the stack. Raises NoFrame, NotStopped, RequestFailed."""
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
        """The language that expressions are in: `python`, `c`, ..."""
        return kind_of(self.case).expression_language(self.focus.language if self.focus else "python")

    def form(self, tool: Tool[Any]) -> Tool[Any]:
        """The tool as it is in this kind of program."""
        return self.forms.get(tool.name, tool)

    @property
    def forms(self) -> Mapping[str, Tool[Any]]:
        """By name, the tools that are others in this kind of program, or only there."""
        return cast("HasForms", kind_of(self.case)).forms()

    def is_offered(self, tool: Tool[Any]) -> bool:
        """Whether a model is told of a tool, as it is in this kind of program."""
        among = cast("HasForms", kind_of(self.case)).offered
        return (among is None or tool.name in among) and tool.fits(self) and tool.is_offered(self)

    @property
    def frame_id(self) -> int:
        """Of that frame; 0 where there is none."""
        return self.focus.frame.id if self.focus else 0

    @property
    def sources(self) -> Sources:
        """The program's source files."""
        return self.case.sources

    @property
    def level(self) -> Level:
        """What may be done."""
        return self.case.level

    def short(self, path: str) -> str:
        """A file's path as the user and a model are told it: from the program's working directory, if it is below."""
        return shorten(path, self.case.inspection.cwd)

    async def snapshot(self, query: SnapshotQuery) -> tuple[SnapshotResult | None, str]:
        """A copy's work; None and the reason where none can be made. Raises NotStopped."""
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
    """The stack has no such frame; the text says which it has."""


@dataclass
class ToolResult:
    """What came of a tool: Markdown for a reader, structure for a program."""

    text: str
    data: Any = None
    status: str = ""
    """What the reader should know of how it was done: `evaluated under the allow-list, because ...`."""
    failed: bool = False
    """It could not be done; `text` says why and what to do instead."""
    suspects: list[Suspect] = field(default_factory=list[Suspect])
    fixes: list[Fix] = field(default_factory=list[Fix])
    refused: bool = False
    """The policy or the user is against it: nothing was done."""
    changed: bool = False
    """The program is not as it was: what was read before holds no more."""
    case: StopSnapshot | None = None
    """What there is to work with from now on, where the program was changed."""


class Tool(Generic[A]):
    """One tool; but for those of `acting`, it changes nothing in the program, whatever its arguments are.

    All that is said of it stands on it. The docstring of its class says in docs/protocol.md what it gives.
    """

    arguments: type[ToolArguments]
    """What a call of it must fit, and its name."""
    level: Level
    """The lowest at which it may be called; at `mutate` it also needs the user's confirmation."""
    description = ""
    """One line, for a model or a menu."""
    main = ""
    """Its main argument, as a format of its arguments; empty: it has none."""
    alternative = ""
    """What a model can do instead where it is refused: a clause after `Instead,`."""
    title = ""
    """What an editor's own agent calls it; empty: it is not offered there."""
    hint = ""
    """What that agent is told besides what the tool gives; a sentence."""
    lasting = True
    """Whether the same call in the same stop gives the same."""
    only = ""
    """The kind of debuggee that it is for; empty: any."""
    instead = ""
    """What to do in a program of the other kind; a sentence."""

    def __init__(self) -> None:
        """Raises TypeError where what the policy has to know is missing."""
        if getattr(self, "level", None) not in LEVELS:
            raise TypeError(f"{type(self).__name__} does not say at which level it may be called")
        if self.level != LEVELS[0] and not self.alternative:
            raise TypeError(f"{type(self).__name__} can be refused, and does not say what to do instead")
        self.name = self.arguments.tool
        """As in a call."""

    def action(self, arguments: A) -> str:
        """A call's main argument, as the user's lists and a request for confirmation have it; else the tool's name."""
        return self.main.format_map(msgspec.structs.asdict(arguments)) or self.name

    def deniable(self, arguments: A) -> Sequence[str]:
        """What a pattern that denies calls is compared with: one of them is enough."""
        return [self.action(arguments)]

    def fits(self, bench: ToolContext) -> bool:
        """Whether it is for this kind of program."""
        return self.only in ("", bench.case.inspection.kind)

    def is_offered(self, bench: ToolContext) -> bool:
        """Whether it can do anything in this session; a model is not told of one that cannot."""
        del bench
        return True

    async def exact(self, bench: ToolContext, arguments: A) -> A:
        """The call as it is decided on and then made. Raises roots.UnreadableFileError, NotStopped, RequestFailed."""
        del bench
        return arguments

    async def now(self, bench: ToolContext, arguments: A) -> str:
        """What the call would replace, for the user who is asked; empty: nothing. Raises NotStopped."""
        del bench, arguments
        return ""

    async def run(self, bench: ToolContext, arguments: A) -> ToolResult:
        """The result; what cannot be done is one too. Raises NotStopped, RequestFailed."""
        raise NotImplementedError


class HasForms(Protocol):
    """What a kind of debuggee is to the tools."""

    offered: frozenset[str] | None
    """Names of the tools that a model is told of; None: all that can do anything there."""

    def forms(self) -> Mapping[str, Tool[Any]]:
        """By name, the tools that do their work in another way there, and those that are only there."""
        ...


def refused(
    bench: ToolContext, expression: str, done: str, parse: Callable[[str], object] = parse_expression
) -> ToolResult | None:
    """Why nothing can be `done` (`evaluated`) with an expression in this stop; None: it can be tried."""
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
    """The text, cut with a mark where it is longer."""
    return text if len(text) <= max_chars else f"{text[:max_chars]}\n... {len(text) - max_chars} characters more"

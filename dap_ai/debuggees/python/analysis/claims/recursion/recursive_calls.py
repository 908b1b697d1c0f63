"""Reads the first and last calls of a recursion from the stack, with their arguments."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from dap_ai.agent.case.stop_reader import MAX_FRAMES, StopReader
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import last_line
from dap_ai.agent.source.syntax import node_of
from dap_ai.debuggees.python.analysis.claims.recursion.recursion_guards import Guards, guards_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.inspection import FrameQuery, Node, Query, Value

_MOST_FRAMES = 1200
"""Maximum number of frames to list. Python's default recursion limit is 1,000."""
_FEWEST_CALLS = 10
_LAMBDA = "<lambda>"
_FIRST, _LAST = 3, 7
"""Number of calls to read at the outermost and at the innermost end of the stack."""


@dataclass
class Recursion:
    """A function that calls itself. Calls are in the order in which they were made."""

    case: StopSnapshot
    first: list[FramePlace]
    last: list[FramePlace]
    calls: int
    whole: bool
    """Whether the stack was read to its outermost frame, so that `first` has the very first call and `calls` is
    exact."""
    line: int
    """1-based line at which most of the function's calls make the next call."""
    between: list[StackFrame]
    """Frames of other user functions between two of the last calls, in call order."""
    guards: Guards
    guarded: list[Guards]
    """The guards of the functions in `between`."""

    @property
    def name(self) -> str:
        """The function's name on the stack."""
        return self.last[-1].frame.name

    @property
    def path(self) -> str:
        """The function's file."""
        return self.last[-1].frame.path

    @property
    def function(self) -> FunctionNode | None:
        """The function's definition, or None."""
        return _function(self.last[-1], self.line)

    @property
    def places(self) -> list[FramePlace]:
        """All calls that were read."""
        return [*self.first, *self.last]

    @property
    def arguments(self) -> list[str]:
        """Names of the parameters that were read in every call of `places`."""
        known = [[v.name for v in place.facts.arguments] if place.facts else [] for place in self.places]
        return [name for name in known[0] if all(name in names for names in known)]

    def values(self, name: str) -> list[Value]:
        """Return a parameter's values in the calls of `places`, in call order."""
        return [value for place in self.places if (value := place.value(name)) is not None]


async def recursion_of(case: StopSnapshot, reader: StopReader, debugger: Debugger) -> Recursion | None:
    """Return the recursion at a stop; None if no user function calls itself.

    Raises NotStopped, RequestFailed.
    """
    frames, whole = list(case.frames), True
    if len(frames) >= MAX_FRAMES:
        more = await reader.frames(case.stop.thread_id, len(frames), _MOST_FRAMES)
        frames, whole = [*frames, *more], len(more) < _MOST_FRAMES
    users = [frame for frame in frames if frame.user]
    keys = _functions(case, users)
    key = _most_called(keys)
    if key is None:
        return None
    at = [number for number, known in enumerate(keys) if known == key]
    calls = [users[number] for number in at]
    line = Counter(frame.line for frame in calls[1:]).most_common(1)[0][0]
    depth = len(calls)
    if calls[0].line != line:  # it has not reached its own call
        calls, at = calls[1:], at[1:]
    between = list(reversed(users[at[1] + 1 : at[2]]))
    names = frozenset(_called(case, frame) for frame in [calls[0], *between])
    last = [FramePlace(frame, case.sources.read(frame.path)) for frame in reversed(calls[:_LAST])]
    first = [FramePlace(frame, case.sources.read(frame.path)) for frame in reversed(calls[_LAST:][-_FIRST:])]
    guards = _guards(last[0], line, names)
    others = [_guards(FramePlace(f, case.sources.read(f.path)), f.line, names) for f in between]
    found = Recursion(case, first, last, depth, whole, line, between, guards, others)
    await _read(found, debugger)
    return found


Key = tuple[str, str, int]
"""Identifies a function: path, name, and line of definition. The line separates methods of the same name."""


def _functions(case: StopSnapshot, frames: list[StackFrame]) -> list[Key]:
    sources = {path: case.sources.read(path) for path in {frame.path for frame in frames}}
    spots = {(frame.path, frame.line) for frame in frames}
    found = {(path, line): source.function_at(line) for path, line in spots if (source := sources[path])}
    defined = {spot: function.lineno for spot, function in found.items() if function}
    return [(frame.path, frame.name, defined.get((frame.path, frame.line), 0)) for frame in frames]


def _most_called(keys: list[Key]) -> Key | None:
    """Return the function with the most calls, or None if it has too few.

    Of several such functions, return the outermost on the stack.
    """
    counts = Counter(keys)
    most = max(counts.values(), default=0)
    if most < _FEWEST_CALLS:
        return None
    often = [key for key, count in counts.items() if count >= most - 1]
    named = [key for key in often if not key[1].rpartition(".")[2].startswith("<")] or often
    outermost = {key: number for number, key in enumerate(keys)}
    return max(named, key=lambda key: outermost[key])


def _guards(place: FramePlace, line: int, names: frozenset[str]) -> Guards:
    function = _function(place, line)
    return guards_of(function, line, names) if function is not None else Guards(opaque=True)


def _function(place: FramePlace, line: int) -> FunctionNode | None:
    source = place.source
    if source is not None and place.frame.name.endswith(_LAMBDA):
        return _as_function(source, line)
    return source.function_at(line) if source else None


def _called(case: StopSnapshot, frame: StackFrame) -> str:
    """Return the unqualified name by which a frame's function is called."""
    known = (
        _function(FramePlace(frame, case.sources.read(frame.path)), frame.line)
        if frame.name.endswith(_LAMBDA)
        else None
    )
    return known.name if known else frame.name.rpartition(".")[2]


def _as_function(source: SourceFile, line: int) -> FunctionNode | None:
    """Return a lambda as a function named after the variable that it is assigned to.

    Return None if the line has no assigned lambda, or several.
    """
    nodes = [node for node in ast.walk(source.tree) if isinstance(node, ast.Assign)] if source.tree else []
    found = [
        (node, node.value)
        for node in nodes
        if isinstance(node.value, ast.Lambda) and node.value.lineno <= line <= last_line(node.value)
    ]
    if len(found) != 1:
        return None
    (node, made), target = found[0], found[0][0].targets[0]
    name = target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
    body: list[ast.stmt] = [ast.copy_location(ast.Return(made.body), made)]
    return ast.copy_location(ast.FunctionDef(name, made.args, body, decorator_list=[]), node)


async def _read(found: Recursion, debugger: Debugger) -> None:
    nodes = [(text, node) for guard in found.guards.tests if (node := _node(text := ast.unparse(guard.test)))]
    frames = [FrameQuery(frame_id=place.frame.id, expressions=[node for _, node in nodes]) for place in found.places]
    reply = await debugger.inspect(Query(frames, level=found.case.level, exception=False, threads=False))
    for place, facts in zip(found.places, reply.frames, strict=False):
        place.facts = facts
        place.known.update(zip([text for text, _ in nodes], facts.values, strict=False))


def _node(text: str) -> Node | None:
    try:
        return node_of(text, "python")
    except SyntaxRefused:
        return None

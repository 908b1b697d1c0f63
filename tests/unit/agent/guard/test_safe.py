"""What is safe by type: what the types cannot see, that no field is forgotten, and who may say that a text is safe."""

import asyncio
import re
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

import msgspec

import dap_ai
from dap_ai.agent.guard.masked import masked_answer
from dap_ai.agent.guard.masked_debugger import MaskedDebugger
from dap_ai.agent.masking.mask import Masker
from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult

SECRET = "ghp_" + "x7Kq2Lm9Vb4Nc1Zt8Rw5" + "Yp3Hd6Js0Gf2Qa"

READ_AS_IT_IS = {
    "Binary.path",
    "Binary.sanitizers",
    "ValueChanges.name",
    "Covered.file",
    "Covered.tests",
    "FollowedValue.file",
    "FollowedValue.function",
    "PastFrame.file",
    "PastFrame.function",
    "Rewound.codes",
    "TracedCode.file",
    "TracedCode.function",
    "TracedValue.name",
    "Column.dtype",
    "CodeDefinition.file",
    "CodeDefinition.name",
    "ExceptionFacts.file",
    "ExceptionFacts.relation",
    "ExceptionFacts.type",
    "Fault.signal",
    "Field.name",
    "Field.type",
    "FrameFacts.file",
    "FrameFacts.name",
    "Inspection.against",
    "Inspection.argv",
    "Inspection.cwd",
    "Inspection.kind",
    "Inspection.python",
    "Inspection.registers",
    "RaisedException.file",
    "RaisedException.function",
    "RaisedException.type",
    "TracebackRow.file",
    "TracebackRow.function",
    "ThreadFrame.file",
    "ThreadFrame.name",
    "TracedCall.file",
    "TracedCall.function",
    "TracedLine.file",
    "TracedLine.function",
    "Value.dtype",
    "Value.kind",
    "Value.type",
    "Variable.name",
}
"""Names, paths and types, by which files are opened and variables asked for; the first word of the command line; numbers."""
SAYS_IT_IS_SAFE = {
    "adapter/recording/recorder.py": "names of fields; ids that a session compares",
    "agent/guard/masked.py": "ids of a message; what has just been masked",
    "agent/guard/masked_debugger.py": "what the user is asked to allow; paths",
    "agent/guard/masked_values.py": "what is too short to be a secret",
    "agent/masking/mask.py": "the masker",
    "agent/masking/placeholders.py": "what stands for a secret",
    "debuggees/python/hosts/answer_process.py": "names that stand in code: of a type, a module, a function, a file",
    "debuggees/python/hosts/testing/short_answer.py": "lines of a masked answer",
    "agent/providers/scripted.py": "a reply of a model in which nothing had to be masked",
    "commands/display/answer_file.py": "the path that the user has set",
    "commands/display/wirelog.py": "our version, the time",
    "commands/options/ask_command.py": "what the user has just typed",
    "debuggees/runs/masked_run.py": "names of fields",
    "protocol/contracts/question.py": "an empty answer",
    "protocol/wire/safe.py": "where it is defined",
}


class Brings:
    """A debugger that brings what it was made with."""

    def __init__(self, brought: Any) -> None:
        self.brought = brought

    def __getattr__(self, name: str) -> Any:
        return None

    async def inspect(self, query: Query) -> Any:
        return self.brought

    snapshot = inspect


def full(kind: Any) -> Any:
    """A value of the type in which each text is the secret."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, NewType):
        return full(kind.__supertype__)
    if kind is str or kind is Any:
        return SECRET
    if origin in (Union, UnionType):
        return full(next(each for each in arguments if each is not NoneType))
    if origin is Literal:
        return arguments[0]
    if origin is list:
        return [full(arguments[0])]
    if origin is tuple:
        return tuple(map(full, arguments))
    if origin is dict:
        return {"r1": full(arguments[1])}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind(**{name: full(hint) for name, hint in get_type_hints(kind).items()})
    return {int: 1, float: 1.0, bool: False}[kind]


def left(held: Any, where: str = "") -> set[str]:
    """The fields, as `Struct.field`, in which the secret still is."""
    if isinstance(held, str):
        return {where} if SECRET in held else set()
    if isinstance(held, list | tuple):
        return set().union(*(left(each, where) for each in held))
    if isinstance(held, dict):
        return set().union(*(left(each, where) for each in held.values()))
    if isinstance(held, msgspec.Struct):
        kind = type(held).__name__
        return set().union(*(left(getattr(held, name), f"{kind}.{name}") for name in held.__struct_fields__))
    return set()


def test_no_field_that_a_inspector_or_a_copy_brings_is_forgotten():
    masker = Masker()
    read = MaskedDebugger(Brings(full(Inspection)), masker, hiding=False)
    made = MaskedDebugger(Brings(full(SnapshotResult)), masker, hiding=False)
    found = asyncio.run(read.inspect(Query([]))), asyncio.run(made.snapshot(SnapshotQuery(1, watch=["x"])))
    assert left(found) == READ_AS_IT_IS


def test_no_field_of_an_answer_is_forgotten():
    found = left(masked_answer(Masker(), full(Answer)))
    assert found - {"Usage.model", "Usage.provider"} == {
        *("Cause.file", "Evidence.file", "Fix.file", "PathNode.file", "Suspect.file"),  # they are opened
        *("Masked.placeholder", "Masked.rule"),  # they are ours
    }


def test_nobody_else_says_that_a_text_is_safe():
    root = Path(dap_ai.__file__).parent
    says = re.compile(r"as_it_is\(|as_it_is,|cast\(\"Safe|\bSafe(?:Json|Fields|Step|Answer)\(")
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    assert {name for name, text in files.items() if says.search(text)} == set(SAYS_IT_IS_SAFE)

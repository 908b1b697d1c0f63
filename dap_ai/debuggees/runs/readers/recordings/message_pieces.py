"""Splits messages and answers of the model APIs (Chat Completions, Responses, Messages) into pieces of one type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from dap_ai.debuggees.runs.json_documents import decoded
from dap_ai.debuggees.runs.readers.content_blocks import classify
from dap_ai.debuggees.runs.readers.json_shapes import arguments as read_arguments
from dap_ai.debuggees.runs.readers.json_shapes import array, at, command, table, text, words
from dap_ai.debuggees.runs.run_model import Status

Kind = Literal["system", "user", "assistant", "thinking", "call", "result"]
_EXIT = re.compile(
    r"""<returncode>\s*(-?\d{1,3})\s*</returncode>|\A\s*\{[^{}]*?"(?:returncode|exit_code)":\s*(-?\d{1,3})\b"""
    r"""|^(?:Exit code:?|exit code:|Process exited with code) (-?\d{1,3})\b""",
    re.MULTILINE,
)
_CODES = ("returncode", "exit_code")
_OF_ITSELF = frozenset({"message", "reasoning", "item_reference"})


class MessagePiece(NamedTuple):
    """A text, reasoning, tool call or result in a message. `pointer` is a JSON pointer within the message."""

    kind: Kind
    pointer: str
    text: str = ""
    call_id: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    status: Status = "unknown"


def pieces(message: Any) -> Iterator[MessagePiece]:
    """Yields the pieces of one message in a conversation, in order."""
    row = table(message)
    kind, role = words(row.get("type")), words(row.get("role"))
    if role in ("tool", "function"):
        content = text(row.get("content")) or words(row.get("content"))
        yield MessagePiece("result", "/content", content, words(row.get("tool_call_id")), words(row.get("name")))
    elif kind and kind != "message":
        yield from item(row)
    elif role == "assistant":
        yield from _assistant(row)
    else:
        yield from _blocks(row.get("content"), "system" if role in ("system", "developer") else "user")


def answered(value: Any) -> Iterator[MessagePiece]:
    """Yields the pieces of a model's answer. Of a Chat Completions answer, only the first choice counts."""
    row = table(value)
    if "choices" in row:
        for said in _assistant(table(at(row, "choices", 0, "message"))):
            yield said._replace(pointer=f"/choices/0/message{said.pointer}")
    elif "output" in row:
        for place, output in enumerate(array(row["output"])):
            for said in pieces(output):
                yield said._replace(pointer=f"/output/{place}{said.pointer}")
    else:
        yield from _blocks(row.get("content"), "assistant")


def item(row: Mapping[str, Any]) -> Iterator[MessagePiece]:
    """Yields the pieces of an item of the Responses API that is not a message: a call, a call's output or reasoning."""
    kind, call_id = words(row.get("type")), words(row.get("call_id") or row.get("id"))
    if kind == "reasoning":
        found = text(row.get("summary")) or text(row.get("content"))
        if found:
            yield MessagePiece("thinking", "/summary" if row.get("summary") else "/content", found)
    elif kind.endswith("_output"):
        yield MessagePiece("result", "/output", words(row.get("output")), call_id)
    elif kind in ("function_call", "custom_tool_call"):
        given = row.get("arguments", row.get("input"))
        found, _ = read_arguments(given)
        yield MessagePiece("call", "", command(found, given), call_id, words(row.get("name")), found)
    elif kind.endswith("_call"):
        action = table(row.get("action")) or {key: row[key] for key in row if key not in ("id", "status", "type")}
        yield MessagePiece("call", "", command(action), call_id, kind.removesuffix("_call"), action)
        if row.get("status") == "completed":  # a built-in tool, executed by the API's provider
            brought = row.get("output", row.get("results", row.get("outputs")))
            yield MessagePiece("result", "", words(brought), call_id, kind.removesuffix("_call"), None, "ok")
    elif kind not in _OF_ITSELF:
        yield MessagePiece("user", "", words(row))


def brought(result: str) -> tuple[str, int | None]:
    """Return a tool's output and exit code.

    The exit code is None if the text shows none in a common format. For a result in JSON (mini-SWE-agent), the output
    is the value of `output`, followed by the other fields.
    """
    found = _EXIT.search(result[:20_000]) or _EXIT.search(result[-2_000:])
    code = int(next(filter(None, found.groups()))) if found else None
    if code is not None and result.lstrip().startswith("{"):
        row = dict(table(decoded(result.encode())[0]))
        if isinstance(output := row.pop("output", None), str):
            beside = [f"{name}: {value}" for name, value in row.items() if value and name not in _CODES]
            return "\n".join(filter(None, [output, *beside])), code
    return result, code


def _assistant(row: Mapping[str, Any]) -> Iterator[MessagePiece]:
    for key in ("reasoning_content", "reasoning", "thinking"):
        if isinstance(row.get(key), str) and row[key]:
            yield MessagePiece("thinking", f"/{key}", row[key])
            break
    yield from _blocks(row.get("content"), "assistant")
    if isinstance(row.get("refusal"), str) and row["refusal"]:
        yield MessagePiece("assistant", "/refusal", row["refusal"])
    for place, call in enumerate(array(row.get("tool_calls"))):
        function = table(table(call).get("function")) or table(table(call).get("custom"))
        given = function.get("arguments", function.get("input"))
        found, _ = read_arguments(given)
        name = words(function.get("name"))
        yield MessagePiece(
            "call", f"/tool_calls/{place}", command(found, given), words(table(call).get("id")), name, found
        )


def _blocks(content: Any, kind: Kind) -> Iterator[MessagePiece]:
    """Yields the pieces of a message's content, which is a text or a list of blocks.

    Each text block becomes a separate piece.
    """
    if isinstance(content, str):
        if content:
            yield MessagePiece(kind, "/content", content)
        return
    for place, block in enumerate(array(content)):
        pointer = f"/content/{place}"
        if table(block).get("type") in ("input_text", "output_text", "refusal"):
            yield MessagePiece(kind, pointer, words(table(block).get("text") or table(block).get("refusal")))
            continue
        part = classify(table(block)) if isinstance(block, dict) else None
        if part is None:
            yield MessagePiece(kind, pointer, words(block))
        elif part.kind in ("call", "result"):
            told = MessagePiece("call" if part.kind == "call" else "result", pointer, part.text, part.call_id)
            yield told._replace(tool=part.tool, arguments=part.arguments, status=part.status)
        elif part.kind == "thinking":
            yield MessagePiece("thinking", pointer, part.text)
        else:
            yield MessagePiece(kind, pointer, part.text)

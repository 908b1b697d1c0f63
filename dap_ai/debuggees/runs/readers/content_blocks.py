"""Content blocks of Anthropic messages, and helpers for values of unknown type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from dap_ai.debuggees.runs.readers.json_shapes import table
from dap_ai.debuggees.runs.run_model import Ref, Status, TokenUsage

_EXIT_CODE = re.compile(r"Exit code (\d{1,3})(?:\n|$)")
_REMINDERS = ("<system-reminder>", "<local-command", "<command-name>", "<command-message>", "[Request interrupted")
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_BINARY = frozenset({"image", "document", "audio"})
_MIN_TOLD = 40
"""Minimum characters of a string that counts as text. Shorter strings are ids, flags or paths."""


class ContentBlock(msgspec.Struct, frozen=True):
    """One block of a message. If `kind` is `unknown`, `tool` is the block's type."""

    kind: Literal["text", "thinking", "call", "result", "binary", "unknown"]
    text: str = ""
    call_id: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    status: Status = "unknown"


def text_of(value: Any) -> str:
    """Return the value if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def number(value: Any, default: float | None = None) -> float | None:
    """Return the value as a float if it is a number, else `default`."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else default


def count(value: Any) -> int | None:
    """Return the value if it is a non-negative int, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def readable(value: Any) -> str:
    """Return a string unchanged, None as an empty string, and any other value as JSON."""
    if isinstance(value, str):
        return value
    try:
        return "" if value is None else msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, RecursionError, msgspec.MsgspecError, OverflowError):
        return ascii(value)


def each(content: Any, pointer: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the blocks of a message's content with their JSON pointers. A plain string counts as one text block."""
    if isinstance(content, str):
        yield pointer, {"type": "text", "text": content}
    elif isinstance(content, Sequence):
        for place, block in enumerate(cast("Sequence[Any]", content)):
            yield f"{pointer}/{place}", table(block) or {"type": "text", "text": readable(block)}
    elif content is not None:
        yield pointer, {"type": "text", "text": readable(content)}


def classify(block: Mapping[str, Any]) -> ContentBlock:
    """Convert a raw content block to a `ContentBlock`."""
    kind = text_of(block.get("type"))
    if kind == "text":
        return ContentBlock("text", readable(block.get("text")))
    if kind in ("thinking", "redacted_thinking"):
        return ContentBlock("thinking", readable(block.get("thinking", "")))
    if kind in _CALLS:
        return _call(block)
    if kind.endswith("tool_result"):
        return _result(block)
    if kind in _BINARY:
        return ContentBlock("binary", _binary(block))
    return ContentBlock("unknown", readable(block), tool=kind)


def _call(block: Mapping[str, Any]) -> ContentBlock:
    given = block.get("input")
    arguments = cast("Mapping[str, Any]", given) if isinstance(given, Mapping) else {"input": given}
    command = text_of(arguments.get("command"))
    return ContentBlock("call", command, text_of(block.get("id")), text_of(block.get("name")), arguments)


def _result(block: Mapping[str, Any]) -> ContentBlock:
    """Convert a tool result block. In Anthropic's API, a result without `is_error` is a success."""
    texts = [classify(inner).text for _, inner in each(block.get("content"), "")]
    status: Status = "error" if block.get("is_error") is True else "ok"
    return ContentBlock("result", "\n".join(texts), text_of(block.get("tool_use_id")), status=status)


def _binary(block: Mapping[str, Any]) -> str:
    """Return a description of a binary block by type and size. Of a plain-text document, returns the text."""
    inner = table(block.get("source"))
    data = text_of(inner.get("data"))
    if inner.get("type") == "text":
        return data
    named = text_of(inner.get("media_type")) or text_of(inner.get("url")) or "of unknown type"
    return f"[{text_of(block.get('type'))} {named}, {len(data)} characters of base64]"


def exit_code_of(text: str) -> int | None:
    """Return the exit code at the start of a result of the tool Bash, or None if the text has no exit code."""
    found = _EXIT_CODE.match(text)
    return int(found[1]) if found else None


def is_reminder(text: str) -> bool:
    """Return whether Claude Code itself wrote a user message, e.g. a reminder."""
    return text.lstrip().startswith(_REMINDERS)


def usage_of(value: Any) -> TokenUsage | None:
    """Return the token usage of an answer.

    Anthropic's input count excludes cache reads and writes, so they are added.
    """
    if not isinstance(value, Mapping):
        return None
    usage = cast("Mapping[str, Any]", value)
    read = count(usage.get("cache_read_input_tokens"))
    parts = (count(usage.get("input_tokens")), read, count(usage.get("cache_creation_input_tokens")))
    known = [part for part in parts if part is not None]
    return TokenUsage(sum(known) if known else None, read, count(usage.get("output_tokens")))


def tokens(inputs: Any, cached: Any, outputs: Any, cost_usd: float | None = None) -> TokenUsage | None:
    """Return token usage and cost in US dollars, or None if all values are unknown. `inputs` includes cached tokens."""
    found = TokenUsage(count(inputs), count(cached), count(outputs), cost_usd)
    return found if found != TokenUsage() else None


def unsaid(extra: Any, text: str) -> Mapping[str, Any] | None:
    """Return a result's structured data (`toolUseResult`) if it contains text that the result's text lacks.

    Returns None otherwise.
    """
    if not isinstance(extra, Mapping) or all(said in text for said in strings(extra) if len(said) >= _MIN_TOLD):
        return None
    return cast("Mapping[str, Any]", extra)


def strings(value: Any) -> Iterator[str]:
    """Yields all strings within a value, in order. Keys of mappings are left out."""
    stack: list[Any] = [value]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            yield top
        elif isinstance(top, Mapping):
            stack.extend(reversed(list(cast("Mapping[Any, Any]", top).values())))
        elif isinstance(top, (list, tuple)):
            stack.extend(reversed(cast("Sequence[Any]", top)))


def program_text(line: Mapping[str, Any]) -> str:
    """Return the text of a line that is not a message: its `summary`, `content` or `error`.

    If another field contains longer text, returns the whole line as JSON.
    """
    words = next((line[key] for key in ("summary", "content", "error") if isinstance(line.get(key), str)), None)
    if isinstance(words, str) and all(said in words for said in strings(line) if len(said) >= _MIN_TOLD):
        return words
    return readable(line)


def within(ref: Ref, pointer: str) -> Ref:
    """Return a ref to the JSON pointer `pointer` within `ref`.

    A ref to several lines is returned unchanged, because several lines are not one JSON document.
    """
    if ref.lines is not None and ref.lines[0] != ref.lines[1]:
        return ref
    return Ref(ref.path, ref.lines, ref.pointer + pointer)


def joined(first: Ref, last: Ref) -> Ref:
    """Return one ref from the start of `first` to the end of `last`.

    Returns `first` if one of them has no lines or they are in different files.
    """
    if first.path != last.path or first.lines is None or last.lines is None:
        return first
    if first.lines == last.lines:
        return Ref(first.path, first.lines, first.pointer if first.pointer == last.pointer else "")
    return Ref(first.path, (first.lines[0], max(first.lines[1], last.lines[1])))

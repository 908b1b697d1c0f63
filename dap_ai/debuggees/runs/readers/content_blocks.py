"""Content blocks of Anthropic's messages, and small questions about values of unknown shape."""

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
"""A string shorter than this that is in no other text is no text of its own: an id, a flag, a path."""


class ContentBlock(msgspec.Struct, frozen=True):
    """One block of a message. `tool` of an unknown one is its type."""

    kind: Literal["text", "thinking", "call", "result", "binary", "unknown"]
    text: str = ""
    call_id: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    status: Status = "unknown"


def text_of(value: Any) -> str:
    """The value where it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def number(value: Any, default: float | None = None) -> float | None:
    """The value where it is a number."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else default


def count(value: Any) -> int | None:
    """The value where it is a whole number that is not negative."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def readable(value: Any) -> str:
    """A text as it is; anything else as JSON; nothing for None."""
    if isinstance(value, str):
        return value
    try:
        return "" if value is None else msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, RecursionError, msgspec.MsgspecError, OverflowError):
        return ascii(value)


def each(content: Any, pointer: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The blocks of a message's content with their pointers; a plain text is one block."""
    if isinstance(content, str):
        yield pointer, {"type": "text", "text": content}
    elif isinstance(content, Sequence):
        for place, block in enumerate(cast("Sequence[Any]", content)):
            yield f"{pointer}/{place}", table(block) or {"type": "text", "text": readable(block)}
    elif content is not None:
        yield pointer, {"type": "text", "text": readable(content)}


def classify(block: Mapping[str, Any]) -> ContentBlock:
    """What a block says."""
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
    """A missing `is_error` means, in the messages' definition, that there was none."""
    texts = [classify(inner).text for _, inner in each(block.get("content"), "")]
    status: Status = "error" if block.get("is_error") is True else "ok"
    return ContentBlock("result", "\n".join(texts), text_of(block.get("tool_use_id")), status=status)


def _binary(block: Mapping[str, Any]) -> str:
    """Names what is no text; a document may be one."""
    inner = table(block.get("source"))
    data = text_of(inner.get("data"))
    if inner.get("type") == "text":
        return data
    named = text_of(inner.get("media_type")) or text_of(inner.get("url")) or "of unknown type"
    return f"[{text_of(block.get('type'))} {named}, {len(data)} characters of base64]"


def exit_code_of(text: str) -> int | None:
    """Of a result of the tool Bash, where it starts with one."""
    found = _EXIT_CODE.match(text)
    return int(found[1]) if found else None


def is_reminder(text: str) -> bool:
    """Whether a user's text was written by the program."""
    return text.lstrip().startswith(_REMINDERS)


def usage_of(value: Any) -> TokenUsage | None:
    """Tokens of one answer; Anthropic counts what the cache read and wrote apart from the input."""
    if not isinstance(value, Mapping):
        return None
    usage = cast("Mapping[str, Any]", value)
    read = count(usage.get("cache_read_input_tokens"))
    parts = (count(usage.get("input_tokens")), read, count(usage.get("cache_creation_input_tokens")))
    known = [part for part in parts if part is not None]
    return TokenUsage(sum(known) if known else None, read, count(usage.get("output_tokens")))


def tokens(inputs: Any, cached: Any, outputs: Any, cost_usd: float | None = None) -> TokenUsage | None:
    """Tokens and dollars; None where there are none. `inputs` includes the cached."""
    found = TokenUsage(count(inputs), count(cached), count(outputs), cost_usd)
    return found if found != TokenUsage() else None


def unsaid(extra: Any, text: str) -> Mapping[str, Any] | None:
    """A result's data beside its text (`toolUseResult`), where it holds a text that the result's does not."""
    if not isinstance(extra, Mapping) or all(said in text for said in strings(extra) if len(said) >= _MIN_TOLD):
        return None
    return cast("Mapping[str, Any]", extra)


def strings(value: Any) -> Iterator[str]:
    """All texts within a value, in order; keys are none."""
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
    """A line that is not a message: its own words where it has some and nothing else of weight, else all of it."""
    words = next((line[key] for key in ("summary", "content", "error") if isinstance(line.get(key), str)), None)
    if isinstance(words, str) and all(said in words for said in strings(line) if len(said) >= _MIN_TOLD):
        return words
    return readable(line)


def within(ref: Ref, pointer: str) -> Ref:
    """A place within what `ref` names; where that is several lines, they are no one document, and it stays whole."""
    if ref.lines is not None and ref.lines[0] != ref.lines[1]:
        return ref
    return Ref(ref.path, ref.lines, ref.pointer + pointer)


def joined(first: Ref, last: Ref) -> Ref:
    """One place from the start of the one to the end of the other, in formats of lines; else the first."""
    if first.path != last.path or first.lines is None or last.lines is None:
        return first
    if first.lines == last.lines:
        return Ref(first.path, first.lines, first.pointer if first.pointer == last.pointer else "")
    return Ref(first.path, (first.lines[0], max(first.lines[1], last.lines[1])))

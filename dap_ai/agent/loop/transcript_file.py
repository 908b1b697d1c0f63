"""Writes a conversation to a file, one JSON line per message, and exports such a file as Markdown."""

from __future__ import annotations

import html
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.agent.guard.policy import plain
from dap_ai.agent.model_port import Message, Reply
from dap_ai.protocol.wire.ask_messages import ToolStep, Usage
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.safe import Safe, SafeFields, json_text
from dap_ai.protocol.wire.visible import in_json, visible
from dap_ai.system.texts import code, counted, fenced

_QUESTION = "\nQuestion: "
"""Text before the user's question in a prompt. Output of the program comes before it."""
_MARKER = re.compile(r"^</?data-[0-9a-f]+>\n?", re.MULTILINE)


class Exchange(msgspec.Struct):
    """One question with the texts and tool steps of its answer, in order."""

    question: str
    parts: list[str | ToolStep] = []
    usage: Usage = msgspec.field(default_factory=Usage)

    def say(self, text: str) -> None:
        """Appends a text to the answer."""
        if self.parts and isinstance(last := self.parts[-1], str):
            self.parts[-1] = last + text
        else:
            self.parts.append(text)


class Transcript:
    """File of one conversation, readable only by the user (0600). Writes nothing if `path` is None."""

    def __init__(self, path: Path | None, mask: Callable[[Message], SafeFields], ask_id: str = "") -> None:
        self._path = path
        self._mask = mask
        self._ask_id = ask_id

    @classmethod
    def of(cls, folder: str, conversation_id: str, ask_id: str, mask: Callable[[Message], SafeFields]) -> Transcript:
        """Returns the transcript of this process's conversation in `folder`. It writes nothing if `folder` is empty."""
        if not folder:
            return cls(None, mask)
        path = Path(folder).expanduser() / f"{time.strftime('%Y%m%d')}-{os.getpid()}-{conversation_id}.jsonl"
        return cls(path, mask, ask_id)

    def keep(self, message: Message, reply: Reply | None = None) -> None:
        """Appends one message to the file. Raises RequestFailed, so that no message is lost unnoticed."""
        if self._path is None:
            return
        row: Message = {"time": round(time.time(), 3), "ask": self._ask_id, **message}
        if reply is not None:
            row["usage"] = {"model": reply.model, "input": reply.input_tokens, "output": reply.output_tokens}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(self._path, in_json(json_text(self._mask(row))) + "\n", append=True)
        except OSError as error:
            text = f"{self._path} cannot be written: {error.strerror}. The setting `transcripts` names its folder."
            raise RequestFailed("ask", "noTranscript", text) from error


def write_private(path: Path, text: Safe, *, append: bool = False) -> None:
    """Writes or appends to a file that only the user can read (mode 0600). Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC)
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def export(lines: Iterable[str]) -> str:
    """Converts the lines of a transcript to Markdown. Raises ValueError with the 1-based number of an invalid line."""
    return markdown(_exchanges(_messages(lines)))


def markdown(exchanges: Sequence[Exchange]) -> str:
    """Formats a conversation as Markdown. Questions are headings, tool steps are folded, costs are in italics."""
    sections = ["# A conversation with dap_ai"]
    for exchange in exchanges:
        sections.append(f"## {' '.join(exchange.question.split()) or 'Why did it stop here?'}")
        sections += [p.strip("\n") if isinstance(p, str) else _folded(p) for p in exchange.parts]
        sections.append(f"*{cost(exchange.usage)}*" if cost(exchange.usage) else "")
    return visible("\n\n".join(filter(str.strip, sections)) + "\n")


def cost(usage: Usage) -> str:
    """Formats an answer's usage and cost on one line; empty if no provider answered.

    Omits tokens that were not counted.
    """
    if not usage.provider and not usage.model:
        return ""
    parts = [usage.provider, usage.model]
    if usage.model_calls:
        parts += [counted(usage.model_calls, "model call"), counted(usage.tool_calls, "tool")]
        if usage.input_tokens or usage.output_tokens:
            parts.append(f"{_grouped(usage.input_tokens)} + {_grouped(usage.output_tokens)} tokens")
    else:
        parts.append(counted(usage.tool_calls, "step"))
    parts.append(f"${usage.cost_usd:.4f}" if usage.cost_usd else "")
    if usage.seconds:
        parts.append(f"{usage.seconds:.1f} s" if usage.seconds >= 1 else f"{usage.seconds:.2f} s")
    return " · ".join(filter(None, parts))


def total(usages: Sequence[Usage]) -> Usage:
    """Sums the usage of several answers. If a model answered any of them, counts only the tool calls of its answers.

    Provider and model are those of the last model's answer, else of the last answer.
    """
    named = [u for u in usages if u.model_calls] or [u for u in usages if u.provider]
    counts = ("model_calls", "input_tokens", "output_tokens", "cost_usd", "seconds")
    sums = {name: sum(getattr(usage, name) for usage in usages) for name in counts}
    last = named[-1] if named else Usage()
    return Usage(**sums, tool_calls=sum(u.tool_calls for u in named), provider=last.provider, model=last.model)


def _messages(lines: Iterable[str]) -> Iterator[Message]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise ValueError(f"line {number} is not a message: {error}") from error


def _exchanges(messages: Iterable[Message]) -> list[Exchange]:
    from dap_ai.agent.loop.toolbox import MAX_NAME_CHARS, shown_arguments  # noqa: PLC0415  imports all tools, which `cost` does not need

    found: list[Exchange] = []
    calls: dict[str, ToolStep] = {}
    for message in messages:
        content = str(message.get("content") or "")
        if message.get("role") == "user" and _QUESTION in content:
            found.append(Exchange(content.rpartition(_QUESTION)[2]))
        elif message.get("role") == "consent" and not found:
            found.append(Exchange("A tool was called"))
        if not found:
            continue
        if message.get("role") == "note":  # what dap_ai itself adds to an answer
            found[-1].say(content)
        elif message.get("role") == "consent":
            found[-1].say(_decision(message))
        elif message.get("role") == "assistant":
            found[-1].say(content + "\n\n" if content.strip() else "")
            _count(found[-1].usage, message)
            for call in message.get("tool_calls") or ():
                wanted = call["function"]
                name = plain(wanted["name"], MAX_NAME_CHARS)
                step = ToolStep(name, f"{name}({shown_arguments(wanted['arguments'])})")
                calls[call["id"]] = step
                found[-1].parts.append(step)
        elif message.get("role") == "tool" and (step := calls.get(message.get("tool_call_id", ""))):
            step.result = _MARKER.sub("", content)
    return found


def _decision(message: Message) -> str:
    """Formats a decision about a tool call by the user, a setting or a rule."""
    action = f"{message.get('tool', '')} {message.get('action', '')}".strip()
    reason = f" The model's reason: {message['reason']}" if message.get("reason") else ""
    decided = f"{message.get('outcome', '')} ({message.get('how', '')})"
    return f"*Confirmation: {decided}* {code(action)}.{reason}\n\n"


def _count(usage: Usage, message: Message) -> None:
    told: dict[str, Any] = message.get("usage") or {}
    usage.model_calls += 1
    usage.tool_calls += len(message.get("tool_calls") or ())
    usage.input_tokens += told.get("input", 0)
    usage.output_tokens += told.get("output", 0)
    usage.model = told.get("model") or usage.model


def _folded(step: ToolStep) -> str:
    took = f" {1000 * step.seconds:.0f} ms" if step.seconds else ""
    where = ", in a snapshot" if step.snapshot else ""
    head = f"<code>{html.escape(step.call or step.name)}</code>{took}{where}"
    if not step.result.strip():
        return head
    return f"<details><summary>{head}</summary>\n\n{fenced(step.result.strip(), '')}\n\n</details>"


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")

"""What the endpoint of benchmarks/agent.py says, and when: the tests' endpoint, with a clock at its end of a reply."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from typing import Any

from _dap import ROOT

sys.path.insert(0, str(ROOT))

from tests.chat.endpoint import Endpoint, Seen
from tests.chat.reply import Reply

MODEL = "gpt-4o"
LAST_WORD = "quod-erat-demonstrandum"
PIECE_CHARS = 4
_PARTS = (
    "What the caller of `step_{0}` passed is **not** what the loop reads: index {0} is more than it has.\n\n",
    "- `count_{0}` is {0}, as its name says\n- `total_{0}` is *None*: no branch sets it\n\n",
    "The value of `{0}` is read twice, in `step_{0}` and after it, and both times it is what it was.\n\n",
    "```python\ndef step_{0}(values):\n    return values[{0}] + {0}\n```\n\n",
)


class Model(Endpoint):
    """An endpoint that streams as fast as it is read. `said` holds when each reply had gone out, as Unix time."""

    def __init__(self) -> None:
        super().__init__(models=(MODEL,))
        self.said: list[float] = []

    def expect(self, *replies: Reply) -> None:
        """The next requests get these replies; those before are forgotten."""
        self.replies[:] = replies
        self.requests.clear()
        self.said.clear()

    def turns(self) -> list[float]:
        """Seconds from each reply, gone out whole, to the request after it."""
        return [seen.at - said for said, seen in zip(self.said, self.requests[1:], strict=False)]

    def _refusal(self, seen: Seen) -> tuple[int, str, str]:
        del seen
        return 0, "", ""  # ChatDBG's follow-ups hold `tool_calls: null`, which OpenAI's endpoint takes

    async def _answer(self, method: str, seen: Seen, writer: asyncio.StreamWriter) -> None:
        await super()._answer(method, seen, writer)
        if method == "POST":
            self.said.append(time.time())


def calls(tool: str, argument: str, count: int, expression: str) -> list[Reply]:
    """Replies that each call the tool once, with another expression each: `expression`, with `#` for its number."""
    made = ((tool, {argument: expression.replace("#", str(n))}) for n in range(1, count + 1))
    return [Reply(calls=[call]) for call in made]


def answer(characters: int) -> Reply:
    """So many characters of Markdown in small pieces, no two paragraphs alike; the last word is LAST_WORD."""
    text, left = "", 0
    for number, part in enumerate(itertools.cycle(_PARTS), 1):
        grown = text + part.format(number)
        left = characters - len(text) - len(LAST_WORD)
        if len(grown) - len(text) > left:
            break
        text = grown
    filler = ("so it goes " * (left // 11 + 1))[: left - 1] + " "
    return Reply(text + filler + LAST_WORD, piece_chars=PIECE_CHARS)


def tokens(seen: Seen) -> dict[str, Any]:
    """The size of a request in tokens of four characters: what it says, and the schemas of its tools."""
    said = sum(len(message.get("content") or "") for message in seen.messages)
    return {"messages": said // 4, "tools": len(json.dumps(seen.body.get("tools") or [], separators=(",", ":"))) // 4}

"""Making a conversation shorter when it no longer fits the model."""

from __future__ import annotations

from collections.abc import Sequence

from dap_ai.agent.tools.base import clip
from dap_ai.protocol.wire.safe import SafeFields

_KEPT = 2
"""The last messages that stay whole."""
_MAX_TOOL_CHARS = 400
_MAX_CHARS = 4000


def shrink(messages: list[SafeFields]) -> bool:
    """Cuts results of tools and long messages, the newest ones last; False if there is nothing to cut any more."""
    older, newest = messages[1:-_KEPT], messages[-_KEPT:]
    return _cut(older, _MAX_TOOL_CHARS) or _cut(newest, _MAX_CHARS)


def _cut(messages: Sequence[SafeFields], max_tool_chars: int) -> bool:
    cut = False
    for message in messages:
        text = message.get("content")
        limit = max_tool_chars if message["role"] == "tool" else _MAX_CHARS
        if isinstance(text, str) and len(text) > 2 * limit:
            message["content"] = clip(text, limit)
            cut = True
    return cut

"""What a recorded run refuses, whoever asks: the proxy and the adapter answer with the same words."""

from __future__ import annotations

from collections.abc import Mapping

READ_ONLY: Mapping[str, str] = {
    "restartFrame": "recorded: read-only. A cycle that is over is not asked again; step back to look at it",
    "setVariable": "recorded: read-only. What has happened is looked at and not changed",
    "setExpression": "recorded: read-only. What has happened is looked at and not changed",
}
"""Requests that want to change the past, each with the answer."""

"""Requests that a recorded run refuses, with the error messages that the proxy and the adapter give."""

from __future__ import annotations

from collections.abc import Mapping

READ_ONLY: Mapping[str, str] = {
    "restartFrame": "recorded: read-only. A cycle that is over is not asked again; step back to look at it",
    "setVariable": "recorded: read-only. What has happened is looked at and not changed",
    "setExpression": "recorded: read-only. What has happened is looked at and not changed",
}
"""Requests that would change the past of a run, with their error messages."""

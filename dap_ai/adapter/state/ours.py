"""Names reserved for dap_ai: an adapter that used them would address the user in dap_ai's name.

They are: names of requests and events with `ask...` (an adapter's `askApproval` would request consent to an action that
nobody performs), progress under a question's id, and keys with `dapAi...` in DAP's bodies.
"""

from __future__ import annotations

import msgspec

from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError

NAMES = "ask"
"""Prefix of our requests and events; no DAP name has it."""
KEYS = "dapAi"
"""Prefix of our keys in DAP's bodies."""
IDS = "dap-ai-"
"""Prefix of the ids of asks, approvals and replies."""
FIRST_OF_PAST = 1 << 30
"""The first id for frames and values of a past moment; adapters use smaller ones."""
_PROGRESS = frozenset({"progressStart", "progressUpdate", "progressEnd"})


class _Progress(msgspec.Struct, rename="camel"):
    progress_id: str = ""


def is_forged(message: Envelope) -> bool:
    """Whether this event or request of the backend is one that only dap_ai may send."""
    return message.name.startswith(NAMES) or (message.name in _PROGRESS and _is_of_ask(message))


def _is_of_ask(message: Envelope) -> bool:
    try:
        return message.read(_Progress).progress_id.startswith(IDS)
    except RemoteProtocolError:
        return False

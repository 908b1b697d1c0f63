"""Names reserved for dap_ai. An adapter that used them could address the user in dap_ai's name.

Reserved are requests and events named `ask...` (an adapter's `askApproval` would request consent to an action that
nobody performs), progress under a question's id, and keys named `dapAi...` in DAP's bodies.
"""

from __future__ import annotations

import msgspec

from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError

NAMES = "ask"
"""Prefix of dap_ai's requests and events. No name in DAP has this prefix."""
KEYS = "dapAi"
"""Prefix of the keys that dap_ai adds to DAP bodies."""
IDS = "dap-ai-"
"""Prefix of the ids of questions, approvals and model replies."""
FIRST_OF_PAST = 1 << 30
"""The first id for frames and values of a past moment. Adapters use smaller ids."""
_PROGRESS = frozenset({"progressStart", "progressUpdate", "progressEnd"})


class _Progress(msgspec.Struct, rename="camel"):
    progress_id: str = ""


def is_forged(message: Envelope) -> bool:
    """Whether the backend has sent an event or request that only dap_ai may send."""
    return message.name.startswith(NAMES) or (message.name in _PROGRESS and _is_of_ask(message))


def _is_of_ask(message: Envelope) -> bool:
    try:
        return message.read(_Progress).progress_id.startswith(IDS)
    except RemoteProtocolError:
        return False

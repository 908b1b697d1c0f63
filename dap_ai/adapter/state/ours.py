"""What only dap_ai says: a debug adapter that uses these words would speak to the user in our name.

Names of `ask...` (an `askApproval` of the adapter's would ask for consent to what nobody does), progress under the id
of a question, and keys of `dapAi...` in what DAP defines.
"""

from __future__ import annotations

import msgspec

from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError

NAMES = "ask"
"""What our requests and events begin with; none of DAP's does."""
KEYS = "dapAi"
"""What our keys in bodies of DAP's begin with."""
IDS = "dap-ai-"
"""What the ids of asks, approvals and replies begin with."""
FIRST_OF_PAST = 1 << 30
"""The first of the ids that we give to frames and values of a past moment; no adapter counts so far."""
_PROGRESS = frozenset({"progressStart", "progressUpdate", "progressEnd"})


class _Progress(msgspec.Struct, rename="camel"):
    progress_id: str = ""


def is_forged(message: Envelope) -> bool:
    """Whether this event or request of the backend is one that only dap_ai sends."""
    return message.name.startswith(NAMES) or (message.name in _PROGRESS and _is_of_ask(message))


def _is_of_ask(message: Envelope) -> bool:
    try:
        return message.read(_Progress).progress_id.startswith(IDS)
    except RemoteProtocolError:
        return False

"""The gate as the endpoint knows it (wire/visiting.py): queries that come by, and what hooks announce."""

from __future__ import annotations

import itertools

import msgspec

from dap_ai.backends.agents.live.gate.announcing import Announcing, Keeping
from dap_ai.backends.agents.live.gate.contract import Announced, encoded
from dap_ai.backends.agents.live.gate.gate import Gate
from dap_ai.backends.agents.live.gate.visits import Visit
from dap_ai.backends.agents.live.wire.apis.asked import Api
from dap_ai.backends.agents.live.wire.notes import Who


class Gatekeeper:
    """For the endpoint's loop alone. `numbers` are those of queries."""

    def __init__(self, gate: Gate, numbers: itertools.count[int], keeping: Keeping | None = None) -> None:
        self._gate = gate
        self._announcing = Announcing(gate, numbers, keeping)

    def visit(self, number: int, api: Api, body: bytes, url: str = "", who: Who | None = None) -> Visit:
        """A query that has come by the wire."""
        self._announcing.has_wire = True
        return Visit(self._gate, number, api, body, url, who)

    async def announced(self, body: bytes) -> tuple[int, bytes]:
        """What a hook announces; status 400 where it is nothing that contract.py knows."""
        try:
            said = msgspec.json.decode(body, type=Announced)
        except (msgspec.MsgspecError, UnicodeError) as error:
            return 400, msgspec.json.encode({"do": "go", "why": f"not understood: {error}"})
        return 200, encoded(await self._announcing(said))

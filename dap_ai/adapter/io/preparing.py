"""Prepares a launch or attach by the backend's recipe: arguments, settings, agent, and place in a family."""

from __future__ import annotations

from typing import Any, NamedTuple

from dap_ai.adapter.io.agent_side import AgentSide
from dap_ai.adapter.io.backend_side import BackendSide
from dap_ai.adapter.io.family import ChildPlace, Families
from dap_ai.adapter.io.ports import ProxyRecipe
from dap_ai.adapter.state.effects import Prepare
from dap_ai.adapter.state.session_options import SessionOptions, child_key
from dap_ai.protocol.wire import envelope


class Preparation(NamedTuple):
    """The prepared start of a session."""

    arguments: bytes
    connected: bool
    """Whether the session switched to a backend at another address."""
    own: dict[str, Any]
    """The launch arguments meant for dap_ai."""
    options: SessionOptions
    place: ChildPlace | None
    """The place of a child's session that the client reached through the proxy's main port, or None."""
    note: str
    """See contracts.backend.AdapterStart."""


class Preparing:
    """Prepares launches and attaches of one session. `eager`: see Pump."""

    def __init__(
        self, recipe: ProxyRecipe, families: Families, backend: BackendSide, agent: AgentSide, *, eager: bool
    ) -> None:
        self._recipe = recipe
        self._families = families
        self._backend = backend
        self._agent = agent
        self._eager = eager

    async def prepare(self, wanted: Prepare, own: dict[str, Any], place: ChildPlace | None) -> Preparation:
        """Prepare a launch or attach for a session at `place`. Raises whatever the recipe raises.

        After an error the next attempt starts again from `own`, because it may bring other settings.
        """
        try:
            return await self._prepare(wanted, own, place)
        except Exception:
            await self._agent.close()
            self._agent.own = own
            raise

    async def _prepare(self, wanted: Prepare, own: dict[str, Any], place: ChildPlace | None) -> Preparation:
        own = own | envelope.decode(wanted.own, dict[str, Any])
        options = self._recipe.options(own)
        await self._warm_agent(own)
        arguments = envelope.decode(wanted.arguments, dict[str, Any])
        if options.anonymous and place is None:
            arguments = self._recipe.for_anybody(wanted.command, arguments)
        start = await self._recipe.backend.prepare(wanted.command, arguments)
        connect = start.connect
        if (found := self._families.place_of(connect) or self._families.expected(arguments)) is not None:
            connect = found.address if place is None else None  # with a place it is connected already
            own = found.own | own
            options = self._recipe.options(own)
            await self._warm_agent(own)
        if connect is not None:
            # nvim-dap, for one, starts a proxy for each child: that one connects to the first proxy's listener.
            await self._backend.switch(connect, found.key if found else child_key(own))
        return Preparation(envelope.encode(start.arguments), connect is not None, own, options, found, start.note)

    async def _warm_agent(self, own: dict[str, Any]) -> None:
        """Replace the agent if the launch arguments changed; start creating it at once if `eager`."""
        if own != self._agent.own:
            await self._agent.close()
            self._agent.own = own
        if self._eager:
            self._agent.warm()

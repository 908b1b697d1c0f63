"""Prepares a launch or attach by the backend's recipe: its arguments, settings, agent, and place in a family."""

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
    """The result of preparing a launch or attach."""

    arguments: bytes
    connected: bool
    """Whether the session now uses a backend at another address."""
    own: dict[str, Any]
    """The launch or attach arguments for dap_ai."""
    options: SessionOptions
    place: ChildPlace | None
    """The place of a child session whose client came through the proxy's main port, or None."""
    note: str
    """A sentence that tells the user how the program is started."""


class Preparing:
    """Prepares the launches and attaches of one session. If `eager`, creates the agent at once."""

    def __init__(
        self, recipe: ProxyRecipe, families: Families, backend: BackendSide, agent: AgentSide, *, eager: bool
    ) -> None:
        self._recipe = recipe
        self._families = families
        self._backend = backend
        self._agent = agent
        self._eager = eager

    async def prepare(self, wanted: Prepare, own: dict[str, Any], place: ChildPlace | None) -> Preparation:
        """Prepare the launch or attach of a session at `place`. Raises the errors of the backend's recipe.

        After an error, the next attempt starts again from `own`, because it may have other settings.
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
        """Replace the agent if the launch arguments for dap_ai have changed. If `eager`, start creating the agent."""
        if own != self._agent.own:
            await self._agent.close()
            self._agent.own = own
        if self._eager:
            self._agent.warm()

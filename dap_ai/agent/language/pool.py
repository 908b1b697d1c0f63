"""The language servers of one session: one of each language's kind and folder."""

from __future__ import annotations

import asyncio

from dap_ai.agent.language.recipes import Family
from dap_ai.agent.language.server import NATIVE_TIMEOUT_S, TIMEOUT_S, LanguageServer


class Languages:
    """They start at their first question, and are gone when `close` returns."""

    def __init__(self) -> None:
        self._servers: dict[tuple[Family, str], LanguageServer] = {}

    def of(self, family: Family, root: str) -> LanguageServer:
        """The one that knows these languages, for a folder; without a `workspace` if it was never asked for before."""
        if (family, root) not in self._servers:
            timeout_s = TIMEOUT_S if family == "python" else NATIVE_TIMEOUT_S
            self._servers[family, root] = LanguageServer(timeout_s=timeout_s, family=family)
        return self._servers[family, root]

    async def close(self) -> None:
        """Ends all of them."""
        servers, self._servers = self._servers, {}
        await asyncio.gather(*(each.close() for each in servers.values()))

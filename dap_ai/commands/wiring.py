"""The composition root: what a proxy is made of, built from the settings, for `ask` and `serve` alike."""

from __future__ import annotations

from collections.abc import Callable

import click

from dap_ai import config
from dap_ai.adapter.serve import Proxy
from dap_ai.adapter.session import Options
from dap_ai.agent.agent import Agent
from dap_ai.backends import Backend, UnknownBackendError, discover
from dap_ai.backends.spawn import AdapterProcess


def backend_of(settings: config.Settings) -> Backend:
    """The backend that the settings name. Raises UsageError."""
    try:
        return discover(settings.backend)
    except UnknownBackendError as error:
        raise click.UsageError(str(error)) from error


class Recipe:
    """What each session of a proxy is made of."""

    def __init__(self, settings: config.Settings, token: str = "") -> None:
        self.backend = backend_of(settings)
        self._settings = settings
        self._token = token

    async def spawn(self, log: Callable[[str], None]) -> AdapterProcess:
        """The debug adapter, started. Raises OSError."""
        return await AdapterProcess.start(self.backend.command(), log)

    def agent(self) -> Agent:
        """What answers in one session."""
        return Agent(self._settings)

    def options(self) -> Options:
        """What one session may do."""
        settings = self._settings
        return Options(level=settings.level, console_prefix=settings.console_prefix, token=self._token)

    def log(self, text: str) -> None:
        """Nothing keeps a log yet."""


def proxy_of(settings: config.Settings, token: str = "") -> Proxy:
    """A proxy before the backend that the settings name, with an agent that answers its asks."""
    return Proxy(Recipe(settings, token))

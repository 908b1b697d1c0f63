"""The composition root: what a proxy is made of, built from the settings, for `ask` and `serve` alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from dap_ai import config
from dap_ai.adapter.options import Options
from dap_ai.adapter.serve import Proxy
from dap_ai.backends import Backend, UnknownBackendError, discover
from dap_ai.backends.spawn import AdapterProcess

if TYPE_CHECKING:
    from dap_ai.agent.answering import Agent
    from dap_ai.agent.mask import Masker


def backend_of(settings: config.Settings) -> Backend:
    """The backend that the settings name. Raises UsageError."""
    try:
        return discover(settings.backend)
    except UnknownBackendError as error:
        raise click.UsageError(str(error)) from error


def check_provider(settings: config.Settings) -> None:
    """Raises UsageError if nobody can answer with these settings: before a program runs in vain."""
    if config.provider_of(settings, os.environ) == "offline":
        return
    from dap_ai.agent.providers.base import ProviderError, load  # noqa: PLC0415  45 ms, spared above

    try:
        load(settings, os.environ)
    except ProviderError as error:
        raise click.UsageError(error.user_text) from error


class Recipe:
    """What each session of a proxy is made of; `own` are a session's launch arguments for us."""

    def __init__(
        self, resolved: config.Resolved, token: str, log: Callable[[str], None] | None, masker: Masker | None
    ) -> None:
        self.backend: Backend = backend_of(resolved.settings)
        self._log = log
        self._masker = masker
        self._resolved = resolved
        self._token = token

    def log(self, text: str) -> None:
        """Something for the log, masked; the agents mask what they say of a program themselves."""
        if self._log:
            self._log(self._log_masker.mask(text))

    @cached_property
    def _log_masker(self) -> Masker:
        from dap_ai.agent.mask import Masker  # noqa: PLC0415  as below

        return self._masker or Masker(self._resolved.settings.mask)

    async def spawn(self, log: Callable[[str], None]) -> AdapterProcess:
        """The debug adapter, started. Raises OSError."""
        return await AdapterProcess.start(self.backend.command(), log)

    def agent(self, own: Mapping[str, Any]) -> Agent:
        """What answers in one session."""
        from dap_ai.agent.answering import Agent  # noqa: PLC0415  45 ms that only a question needs

        agent = Agent(config.merge_launch(self._resolved, own).settings, masker=self._masker)
        agent.warm()
        self.backend.warm()
        return agent

    def options(self, own: Mapping[str, Any]) -> Options:
        """What one session may do. Raises ConfigError."""
        settings = config.merge_launch(self._resolved, own).settings
        return Options(
            level=settings.level,
            console_prefix=settings.console_prefix,
            ask_events=own.get("askEvents") is True,
            ask_timeout_s=settings.ask_timeout_s,
            approval_timeout_s=settings.approval_timeout_s,
            snapshots=settings.snapshots,
            snapshot_reads=settings.snapshot_reads,
            token=self._token,
        )


def proxy_of(
    resolved: config.Resolved,
    token: str = "",
    log: Callable[[str], None] | None = None,
    masker: Masker | None = None,
) -> Proxy:
    """A proxy before the backend that the settings name, with an agent that answers its asks. Raises UsageError.

    `masker`: that of its only session; None: each session has its own.
    """
    check_provider(resolved.settings)
    return Proxy(Recipe(resolved, token, log, masker))

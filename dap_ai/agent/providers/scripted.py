"""A model that replays a file of replies: for tests, demos and recorded conversations."""

from __future__ import annotations

from collections.abc import Mapping

from dap_ai.agent.model import Model
from dap_ai.config import Settings


def provider(settings: Settings, _environ: Mapping[str, str]) -> Model:
    """The entry point. Raises ProviderError."""
    raise NotImplementedError(settings.replay)

"""Sends one prompt to the configured model, without a debuggee."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from importlib.metadata import entry_points

from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.model_port import Model, ModelError, Reply
from dap_ai.agent.providers.base import GROUP, Provider, ProviderError
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError
from dap_ai.settings.configuration import Settings, provider_of


def asker(settings: Settings) -> Callable[[str], str]:
    """Return a function that sends a prompt, with secrets masked, and returns the model's text.

    Raises RunArgumentError if no model is configured; the returned function, if the model fails.
    """
    name = provider_of(settings, os.environ)
    found = {point.name: point for point in entry_points(group=GROUP)}
    try:
        made: object = found[name].load()(settings, os.environ) if name in found else None
    except ProviderError as error:
        raise RunArgumentError(error.user_text) from error
    if made is None or isinstance(made, Provider):
        raise RunArgumentError(f"no language model is set (the provider is {name}): set OPENAI_API_KEY or an endpoint")
    model: Model = made  # pyright: ignore[reportAssignmentType]  an entry point gives a Provider or a Model
    masker = Masker(settings.mask)

    def ask(prompt: str) -> str:
        try:
            return asyncio.run(_reply(model, masker, prompt))
        except ModelError as error:
            raise RunArgumentError(f"the model cannot answer: {error}") from error

    return ask


async def _reply(model: Model, masker: Masker, prompt: str) -> str:
    text = ""
    try:
        async for piece in model.stream([masker.mask_fields({"role": "user", "content": prompt})], []):
            if isinstance(piece, Reply):
                text = piece.text
    finally:
        await model.close()
    return text

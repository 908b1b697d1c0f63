"""Loads the provider that the settings name, from the entry points of the group `dap_ai.providers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from dap_ai.agent.model_port import Model
from dap_ai.agent.providers.base import GROUP, Provider, ProviderError
from dap_ai.protocol.contracts.debugger import StoppedSession
from dap_ai.protocol.contracts.question import AcceptedAsk
from dap_ai.settings.configuration import Settings, provider_of

if TYPE_CHECKING:
    from dap_ai.agent.masking.mask import Masker


def load(settings: Settings, environ: Mapping[str, str], masker: Masker | None = None) -> Provider:
    """Returns the provider that the settings name. A model receives only masked text. Raises ProviderError."""
    name = provider_of(settings, environ)
    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        raise ProviderError(f"There is no provider '{name}'; installed: {', '.join(sorted(found)) or 'none'}.")
    make: Callable[[Settings, Mapping[str, str]], Provider | Model] = found[name].load()
    made = make(settings, environ)
    return made if isinstance(made, Provider) else _investigator(made, settings, masker)


def load_or_say(settings: Settings, environ: Mapping[str, str], masker: Masker) -> Provider:
    """Returns the provider that the settings name.

    If it cannot be loaded, returns a provider that reports the error and answers offline.
    """
    try:
        return load(settings, environ, masker)
    except ProviderError as error:
        from dap_ai.agent.providers.offline import Nobody  # noqa: PLC0415  the rare case

        return Nobody(error)


def lent(settings: Settings, ask: AcceptedAsk, session: StoppedSession, masker: Masker) -> Provider:
    """Returns a provider for the model that the client lends for one question. The model receives only masked text."""
    from dap_ai.agent.providers.editor_model import EditorModel  # noqa: PLC0415  most clients lend none

    return _investigator(EditorModel(ask.arguments.lent_model, session), settings, masker)


def _investigator(made: Model, settings: Settings, masker: Masker | None) -> Provider:
    from dap_ai.agent.guard.masked import MaskedModel  # noqa: PLC0415  the same
    from dap_ai.agent.masking.mask import Masker  # noqa: PLC0415  only needed with a model
    from dap_ai.agent.providers.investigator import Investigator  # noqa: PLC0415  the same
    from dap_ai.agent.providers.scripted import recorded  # noqa: PLC0415  the same

    masker = masker or Masker(settings.mask)
    if settings.record:
        made = recorded(made, settings.record, masker.mask_json)
    return Investigator(MaskedModel(made, masker), masker)

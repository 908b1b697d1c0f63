"""Describes which model provider would answer a question, at which endpoint, and whether an API key is set."""

from __future__ import annotations

import contextlib
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from dap_ai.agent.model_port import ModelError
from dap_ai.agent.providers.base import ProviderError
from dap_ai.agent.providers.endpoint_errors import ModelEndpoint, refused, unreachable
from dap_ai.agent.providers.loading import load
from dap_ai.agent.providers.openai import OPENAI_URL
from dap_ai.settings import configuration

Finding = tuple[Literal["ok", "missing"], str, str]
"""A check's verdict, details and advice; none of them contains the key."""

_TIMEOUT_S = 10.0
_MAX_BODY_BYTES = 4_000_000
_FOR_A_MODEL = "For a language model: set OPENAI_API_KEY, or name an endpoint with --base-url"


def notice_of(settings: configuration.Settings, environ: Mapping[str, str]) -> str:
    """Describe who would answer a question and what leaves the machine, or why nobody can answer.

    An answer's first status line has the same text.
    """
    try:
        return load(msgspec.structs.replace(settings, record=""), environ).notice
    except ProviderError as error:
        return error.user_text.rstrip(".")


def who_answers(settings: configuration.Settings, environ: Mapping[str, str], *, online: bool = False) -> Finding:
    """Check whether a model provider can answer questions.

    `online`: also request the endpoint's list of models, which sends the key to the endpoint and nothing else.
    """
    name = configuration.provider_of(settings, environ)
    try:
        notice = load(msgspec.structs.replace(settings, record=""), environ).notice
    except ProviderError as error:
        return "missing", error.user_text.rstrip("."), ""
    if name != "openai":
        return "ok", notice, _FOR_A_MODEL if name == "offline" else ""
    key = environ.get("OPENAI_API_KEY", "")
    found = f"{notice} ({'with' if key else 'without'} a key)"
    if not online:
        return "ok", found, "Whether it can be reached: dap-ai doctor --online"
    url = (settings.base_url or environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")
    try:
        models = _models(ModelEndpoint(url, settings.model, key))
    except ModelError as error:
        return "missing", f"{found}. {error}".rstrip("."), ""
    if settings.model and models and settings.model not in models:
        return "ok", f"{found}. It can be reached, but does not list that model", ""
    return "ok", f"{found}. It can be reached", ""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses HTTP redirects, so that the key reaches the configured endpoint only."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        """Return None, with which urllib refuses a redirect."""


def _models(endpoint: ModelEndpoint) -> list[str]:
    """Return the ids of the models that the endpoint lists. Raises ModelError.

    Returns an empty list if the response is unreadable.
    """
    headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    request = urllib.request.Request(f"{endpoint.shown}/models", headers=headers)  # noqa: S310  `load` accepts http(s) only
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_TIMEOUT_S) as response:
            body = response.read(_MAX_BODY_BYTES)
    except urllib.error.HTTPError as error:
        with error:
            raise refused(endpoint, error.code, error.read(1000).decode(errors="replace")) from error
    except OSError as error:
        raise unreachable(endpoint, error) from error
    with contextlib.suppress(msgspec.MsgspecError, KeyError, TypeError):
        return [model["id"] for model in msgspec.json.decode(body)["data"]]
    return []

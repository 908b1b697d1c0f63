"""Model at any endpoint that serves OpenAI's Chat Completions. Only this module uses the package `openai`.

1. Request fields that an endpoint rejects are left out for the rest of the session (`_Shape`).
2. Temporary failures are retried and broken streams restarted. Text that the user has seen is not shown again.
3. Any other failure is a ModelError with a message for the user. No message contains the API key.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dap_ai.agent.model_port import Message, ModelError, Piece, Schema
from dap_ai.agent.providers.base import ProviderError
from dap_ai.agent.providers.chunks import Assembly
from dap_ai.agent.providers.endpoint_errors import ModelEndpoint, is_refused, is_worth_another_try, refused, unreachable
from dap_ai.protocol.wire.safe import SafeFields
from dap_ai.settings.configuration import Settings

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI, AsyncStream

OPENAI_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-5.6-terra"
"""Model used at OpenAI if the settings name none. OpenAI's overview recommends this model for a balance of quality and
price.
"""
_TRIES = 4
_FIRST_PAUSE_S = 0.5
_MAX_PAUSE_S = 30.0
"""Maximum seconds to pause before a retry. If an endpoint asks for a longer pause, the request fails."""
_CONNECT_S = 10.0
_SILENCE_S = 120.0
"""Seconds without data after which a request is abandoned. This includes the time before the first token."""
_NO_KEY = "none"
"""Placeholder key for endpoints that need no key, because the `openai` client requires one."""


def provider(settings: Settings, environ: Mapping[str, str]) -> OpenAIModel:
    """Entry point of the provider `openai`. Raises ProviderError for an invalid URL or a missing OpenAI key."""
    url = (settings.base_url or environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")
    key = environ.get("OPENAI_API_KEY", "")
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise ProviderError(f"The endpoint's URL must begin with http:// or https://, not {url.rpartition('@')[2]!r}.")
    if _is_openai(url) and not key:
        text = "There is no key for OpenAI: set OPENAI_API_KEY, or another endpoint with --base-url."
        raise ProviderError(text, "key")
    return OpenAIModel(settings.model or (DEFAULT_MODEL if _is_openai(url) else ""), url, key)


class OpenAIModel:
    """A model at one endpoint. If `name` is empty, the first request fills in the endpoint's only model."""

    provider = "openai"

    def __init__(self, model: str, base_url: str, key: str, *, first_pause_s: float = _FIRST_PAUSE_S) -> None:
        self.name = model
        self._url = base_url
        self._key = key
        self._first_pause_s = first_pause_s
        self._shape = _Shape()
        self._client: AsyncOpenAI | None = None

    @property
    def notice(self) -> str:
        """One line that names the model, the endpoint and the data that is sent there."""
        named = f"{self.name} at " if self.name else "the model at "
        sent = "the question, source and values of the program are sent there, secrets masked"
        return f"{named}{self._endpoint.shown} answers: {sent}"

    def warm(self) -> None:
        """Imports and creates the client (0.3 s), and imports modules that its first request needs (20 ms)."""
        import anyio.lowlevel  # noqa: PLC0415  with the client

        self._open()
        asyncio.run(anyio.lowlevel.checkpoint())

    async def close(self) -> None:
        """Closes the client and its open connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """Streams one reply. Restarts a broken stream without repeating text. Raises ModelError."""
        import openai  # noqa: PLC0415  see `warm`

        tries, shown = 0, ""
        while True:
            assembly = Assembly(shown)
            try:
                await self._choose_model()
                async with await self._begin(messages, tools) as chunks:
                    async for chunk in chunks:
                        for piece in assembly.take(chunk):
                            yield piece
            except (openai.APIError, ValueError, OSError) as error:  # ValueError: the data is not JSON or not UTF-8
                if not assembly.finished:
                    if self._shape.adapt(error):
                        continue
                    tries += 1
                    await self._pause(error, tries)
                    shown = assembly.shown
                    continue
            if assembly.finished or (tries == _TRIES - 1 and not assembly.empty):
                yield assembly.reply()
                return
            tries += 1
            await self._pause(_BrokenOff(), tries)
            shown = assembly.shown

    async def _begin(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncStream[object]:
        """Sends the request and returns the chunks of the reply as plain JSON.

        The client's typed chunks would cost 20 ms per reply and 0.3 ms per chunk.
        """
        import openai  # noqa: PLC0415  see `warm`

        body = {"model": self.name, "stream": True, **self._shape.request_fields(messages, tools)}
        return await self._open().post(
            "/chat/completions", body=body, cast_to=object, stream=True, stream_cls=openai.AsyncStream[object]
        )

    async def _choose_model(self) -> None:
        """Chooses the endpoint's only model if none was named. Raises ModelError if it has no model or several."""
        if self.name:
            return
        names = [model.id async for model in self._open().models.list()]
        names = [name for name in names if "embed" not in name.lower()] or names
        if len(names) != 1:
            listed = f"has {len(names)} models: {', '.join(sorted(names)[:30])}" if names else "has no model"
            raise ModelError("model", f"{self._endpoint.shown} {listed}. Choose one with --model.")
        self.name = names[0]

    async def _pause(self, error: Exception, tries: int) -> None:
        """Waits before the next try. Raises ModelError if another try is pointless."""
        import openai  # noqa: PLC0415  see `warm`

        pause_s = self._first_pause_s * 2.0 ** (tries - 1)
        verdict = unreachable(self._endpoint, error)
        hopeless = tries >= _TRIES or isinstance(error, openai.APITimeoutError) or is_refused(error)
        if isinstance(error, openai.APITimeoutError):
            verdict = ModelError("network", f"{self._endpoint.shown} does not respond, and was given up.")
        elif isinstance(error, openai.APIStatusError):
            headers, said = error.response.headers, _error_text(error)
            verdict = refused(self._endpoint, error.status_code, said, error.code or "")
            asked = headers.get("x-should-retry")
            hopeless |= not is_worth_another_try(error.status_code, said, error.code or "", asked)
            wanted_s = _retry_after_s(headers)
            hopeless |= wanted_s > _MAX_PAUSE_S
            pause_s = max(pause_s, wanted_s)
        elif isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
            verdict = refused(self._endpoint, 0, _error_text(error), error.code or "")
            hopeless |= not is_worth_another_try(0, _error_text(error), error.code or "", None)
        elif isinstance(error, _BrokenOff):
            verdict = ModelError("network", f"{self._endpoint.shown} answers, but not with a Chat Completions reply.")
        if hopeless:
            raise verdict from error
        await asyncio.sleep(pause_s)

    @property
    def _endpoint(self) -> ModelEndpoint:
        return ModelEndpoint(self._url, self.name, self._key)

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            import openai  # noqa: PLC0415  see `warm`

            self._client = openai.AsyncOpenAI(
                api_key=self._key or _NO_KEY,
                base_url=self._url,
                max_retries=0,
                timeout=openai.Timeout(_SILENCE_S, connect=_CONNECT_S),
            )
        return self._client


class _BrokenOff(Exception):  # noqa: N818  named after the event
    """Raised when a stream ends without a finish reason."""


class _Shape:
    """Builds the request fields besides the model name. Leaves out fields that the endpoint has rejected."""

    def __init__(self) -> None:
        self._left_out: set[str] = set()
        self._unreasoning = False

    def request_fields(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> dict[str, Any]:
        fields: dict[str, Any] = {"messages": [_sendable(m) for m in messages]}
        fields["stream_options"] = {"include_usage": True}
        if tools:
            fields |= {"tools": list(tools), "parallel_tool_calls": True}
        if tools and self._unreasoning:
            fields["reasoning_effort"] = "none"
        return {name: value for name, value in fields.items() if name not in self._left_out}

    def adapt(self, error: Exception) -> bool:
        """Leaves out the fields that caused `error`. Returns whether the request has changed and can be retried."""
        if getattr(error, "status_code", 0) not in (400, 422):
            return False
        said = f"{getattr(error, 'param', '')} {_error_text(error)}"
        if "reasoning_effort" in said and "none" in said and not self._unreasoning:
            self._unreasoning = True  # OpenAI's newer models allow tools in Chat Completions only without reasoning
            return True
        rejected = {f for f in ("stream_options", "parallel_tool_calls") if f in said} - self._left_out
        self._left_out |= rejected
        return bool(rejected)


def _sendable(message: SafeFields) -> Message:
    """Returns the message with valid JSON objects as call arguments. Some endpoints fail on malformed arguments."""
    if "tool_calls" not in message:
        return message
    calls = [
        {**call, "function": {**call["function"], "arguments": _json(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _json(arguments: str) -> str:
    with contextlib.suppress(ValueError, RecursionError):
        if isinstance(json.loads(arguments or "null"), dict):
            return arguments
    return json.dumps({"malformed": arguments} if arguments.strip() else {})


def _error_text(error: APIError | Exception) -> str:
    """Returns the endpoint's own error message, without the text that the client adds."""
    body: Any = getattr(error, "body", None)
    said: Any = body.get("message") or body.get("error") or body.get("detail") if isinstance(body, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  JSON
    return said if isinstance(said, str) else str(getattr(error, "message", error))


def _retry_after_s(headers: Mapping[str, str]) -> float:
    """Returns the delay in seconds that the Retry-After headers request; 0 if they request none."""
    wanted = headers.get("retry-after", "")
    with contextlib.suppress(ValueError):
        if "retry-after-ms" in headers:
            return float(headers["retry-after-ms"]) / 1000
        return float(wanted or "0")
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  the rare form

    with contextlib.suppress(ValueError):
        return parsedate_to_datetime(wanted).timestamp() - time.time()
    return 0.0


def _is_openai(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == "api.openai.com" or host.endswith(".api.openai.com")

"""Any endpoint that speaks OpenAI's Chat Completions. The only owner of the package `openai`, imported when used."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from dap_ai.agent.model import Call, Message, ModelError, Piece, Reasoning, Reply, Schema, Text

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_BROKEN_STREAMS = 3
"""A stream that breaks off is begun anew so many times."""
_PAUSE_S = 0.5
_ANEW = "\n\n(The connection broke, and the model began anew.)\n\n"
_NO_KEY = "none"
"""What a local endpoint is sent that wants no key: the client insists on one."""
_OVERFLOW = ("context_length", "context length", "maximum context", "too many tokens", "context window", "exceeds the")


class OpenAIModel:
    """One model of one endpoint."""

    def __init__(self, model: str, base_url: str, key: str, *, retries: int = 3, timeout_s: float = 120.0) -> None:
        self.name = model
        self._base_url = base_url
        self._key = key
        self._retries = retries
        self._timeout_s = timeout_s
        self._client: AsyncOpenAI | None = None

    @property
    def notice(self) -> str:
        """Who answers, and where the question goes."""
        return f"{self.name} at {self._base_url}: the question, source and values of the program are sent there"

    async def stream(self, messages: Sequence[Message], tools: Sequence[Schema]) -> AsyncIterator[Piece]:
        """One reply; a broken stream is begun anew, without saying again what was said. Raises ModelError."""
        import httpx2  # noqa: PLC0415  comes with openai
        import openai  # noqa: PLC0415  0.3 s that only a question to a model needs

        said = ""
        for attempt in range(1, _BROKEN_STREAMS + 1):
            try:
                assembly = _Assembly(said)
                async for piece in self._once(assembly, messages, tools):
                    yield piece
            except openai.APIStatusError as error:
                raise _refused(error, self.name, self._base_url) from error
            except (openai.APIConnectionError, openai.APIError, httpx2.HTTPError, _BrokenOff) as error:
                if attempt == _BROKEN_STREAMS:
                    reason = str(error) or type(error).__name__
                    raise ModelError("network", f"{self._base_url} cannot be reached or broke off: {reason}") from error
                said = assembly.said
                await asyncio.sleep(_PAUSE_S * attempt)
            else:
                yield assembly.reply()
                return

    async def _once(
        self, assembly: _Assembly, messages: Sequence[Message], tools: Sequence[Schema]
    ) -> AsyncIterator[Piece]:
        wanted: dict[str, Any] = {"tools": list(tools), "parallel_tool_calls": True} if tools else {}
        chunks: Any = await self._open().chat.completions.create(
            model=self.name,
            messages=list(messages),  # pyright: ignore[reportArgumentType]  their shape is the wire's
            stream=True,
            stream_options={"include_usage": True},
            **wanted,
        )
        try:
            async for chunk in chunks:
                for piece in assembly.take(chunk):
                    yield piece
        finally:
            await chunks.close()
        if not assembly.finished:
            raise _BrokenOff("the stream ended without a reason")

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            import openai  # noqa: PLC0415  see above

            self._client = openai.AsyncOpenAI(
                api_key=self._key or _NO_KEY,
                base_url=self._base_url,
                max_retries=self._retries,
                timeout=self._timeout_s,
            )
        return self._client


class _BrokenOff(Exception):  # noqa: N818  what has happened
    pass


class _Assembly:
    """Puts a reply together from its chunks. `shown`: what an earlier, broken stream has said already."""

    def __init__(self, shown: str) -> None:
        self.finished = False
        self._shown = shown
        self._level = False
        """Whether it has caught up with what was shown."""
        self._text = ""
        self._calls: dict[int, Call] = {}
        self._usage: Any = None
        self._finish = self._model = ""

    @property
    def said(self) -> str:
        """What a next try need not say again."""
        return self._text if self._level else self._shown

    def take(self, chunk: Any) -> list[Piece]:
        """The pieces of one chunk."""
        self._usage = getattr(chunk, "usage", None) or self._usage
        self._model = getattr(chunk, "model", "") or self._model
        pieces: list[Piece] = []
        for choice in (getattr(chunk, "choices", None) or ())[:1]:
            delta = choice.delta
            reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
            if isinstance(reasoning, str):
                pieces.append(Reasoning(reasoning))
            if getattr(delta, "content", None):
                pieces += [Text(text) for text in [self._say(delta.content)] if text]
            for part in getattr(delta, "tool_calls", None) or ():
                self._call(part)
            if choice.finish_reason:
                self.finished, self._finish = True, choice.finish_reason
        return pieces

    def _say(self, text: str) -> str:
        self._text += text
        if self._level:
            return text
        if self._shown.startswith(self._text) and self._shown != self._text:
            return ""
        self._level = True
        if self._text.startswith(self._shown):
            return self._text[len(self._shown) :]
        return _ANEW + self._text

    def _call(self, part: Any) -> None:
        index = part.index if isinstance(getattr(part, "index", None), int) else len(self._calls)
        call = self._calls.get(index)
        if call is None:
            call = self._calls[index] = Call(part.id or f"call-{index}", "")
        call.id = part.id or call.id
        if part.function is not None:
            call.name += part.function.name or ""
            call.arguments += part.function.arguments or ""

    def reply(self) -> Reply:
        """All of it."""
        usage, details = self._usage, getattr(self._usage, "prompt_tokens_details", None)
        return Reply(
            text=self._text,
            calls=[self._calls[index] for index in sorted(self._calls)],
            finish=self._finish,
            input_tokens=getattr(usage, "prompt_tokens", 0) or 0,
            output_tokens=getattr(usage, "completion_tokens", 0) or 0,
            cached_tokens=getattr(details, "cached_tokens", 0) or 0,
            model=self._model,
        )


def _refused(error: Any, model: str, base_url: str) -> ModelError:
    """What an HTTP status means, in words for the user."""
    status: int = error.status_code
    said = str(getattr(error, "message", error))[:500]
    if status in (401, 403):
        return ModelError("key", f"{base_url} does not accept the key: set OPENAI_API_KEY to one that it knows. It said: {said}")
    if status == 404:
        return ModelError("model", f"{base_url} has no model `{model}`: choose one with --model. It said: {said}")
    if status in (400, 413, 422) and any(words in said.lower() for words in _OVERFLOW):
        return ModelError("overflow", f"the conversation is too long for `{model}`. It said: {said}")
    if status == 429 or status >= 500:
        return ModelError("busy", f"{base_url} is busy or out of quota ({status}); try again later. It said: {said}")
    return ModelError("request", f"{base_url} refuses the request ({status}): {said}")

"""Converts an endpoint's errors into messages for the user. No message contains the API key."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from dap_ai.agent.model_port import ModelError
from dap_ai.system.texts import code

MAX_SAID_CHARS = 300

_OVERFLOW = (
    "context_length", "context length", "maximum context", "context window", "context size", "too many tokens",
    "prompt is too long", "input is too long", "exceed_context", "exceeds the available context",
)  # fmt: skip
_NO_QUOTA = ("insufficient_quota", "exceeded your current quota", "billing", "credit")
_LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal")  # noqa: S104  host names to compare, not to bind
BAD_KEY = "does not accept the key"
NO_QUOTA = "the quota of this key is used up"


class ModelEndpoint(NamedTuple):
    """URL, model and API key of an endpoint."""

    url: str
    model: str
    key: str

    @property
    def shown(self) -> str:
        """The URL without credentials, query and fragment."""
        parts = urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()

    def response_text(self, text: str) -> str:
        """Formats an endpoint's message on one line, cut to MAX_SAID_CHARS characters, with the API key replaced."""
        text = " ".join(text.split())
        return (text.replace(self.key, "<the key>") if self.key else text)[:MAX_SAID_CHARS]


def refused(endpoint: ModelEndpoint, status: int, text: str, error_code: str = "") -> ModelError:
    """Returns the error for an HTTP status. Status 0 means an error inside a stream."""
    at, said = endpoint.shown, endpoint.response_text(text)
    named = code(endpoint.model) if endpoint.model else "the model"
    all_said = f"{error_code} {text}".lower()
    if any(words in all_said for words in _OVERFLOW) or status == 413:
        return ModelError("overflow", f"The conversation is too long for {named}. It said: {said}")
    if status in (401, 403):
        what = BAD_KEY if endpoint.key else "wants a key"
        return ModelError("key", f"{at} {what}: set OPENAI_API_KEY to one of yours there. It said: {said}")
    if status == 404 and "model" not in all_said:
        return ModelError("model", f"{at} has no chat/completions: check --base-url; most end in /v1. It said: {said}")
    if status == 404 or code == "model_not_found":
        return ModelError("model", f"{at} has no model {named}: choose one with --model. It said: {said}")
    if "support" in all_said and "tool" in all_said and "reasoning_effort" not in all_said:
        return ModelError("model", f"{named} cannot call tools: choose another with --model. It said: {said}")
    if status in (402, 429) and any(words in all_said for words in _NO_QUOTA):
        return ModelError("busy", f"{at} says that {NO_QUOTA}. It said: {said}")
    if status == 429:
        return ModelError("busy", f"{at} gets too many requests; try again later. It said: {said}")
    if status >= 500 or status == 0:
        where = f" ({status})" if status else ""
        return ModelError("busy", f"{at} failed{where}; try again later. It said: {said or 'nothing'}")
    return ModelError("request", f"{at} refuses the request ({status}): {said}")


def is_worth_another_try(status: int, text: str, code: str, asked: str | None) -> bool:
    """Whether retrying the same request may succeed. `asked` is the value of header `x-should-retry`, if sent."""
    if asked in ("true", "false"):
        return asked == "true"
    lasting = any(words in f"{code} {text}".lower() for words in (*_NO_QUOTA, *_OVERFLOW))
    return (status in (0, 408, 409, 429) or status >= 500) and not lasting


def unreachable(endpoint: ModelEndpoint, error: BaseException) -> ModelError:
    """Returns the error for a connection that could not be opened or that broke."""
    reason = endpoint.response_text(str(_root(error)) or type(error).__name__)
    if is_refused(error) and urlsplit(endpoint.url).hostname in _LOCAL:
        return ModelError("network", f"Nothing answers at {endpoint.shown}: is it running? ({reason})")
    return ModelError("network", f"{endpoint.shown} cannot be reached, or broke off: {reason}")


def is_refused(error: BaseException) -> bool:
    """Whether the connection was refused because no server listens there."""
    text = str(_root(error)).lower()
    return isinstance(_root(error), ConnectionRefusedError) or "refused" in text or "all connection attempts" in text


def _root(error: BaseException) -> BaseException:
    """Returns the innermost cause of an exception."""
    for _ in range(10):
        inner = error.__cause__ or error.__context__
        if inner is None:
            break
        error = inner
    return error

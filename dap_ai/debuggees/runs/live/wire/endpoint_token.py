"""The endpoint's token: a request says it in its path or in a header, and is passed on without it.

Most clients take the whole address, token included, from a variable of the environment. Codex takes its address from
its command line, which every user of the machine can read, and headers from the environment: it says the token in one.
"""

from __future__ import annotations

import hmac

import h11

HEADER, VARIABLE = "x-dap-ai-token", "DAP_AI_ENDPOINT_TOKEN"
"""A header that a client can be told to send, and where that takes the token from."""
PROJECT, PROJECT_VARIABLE = "openai-project", "OPENAI_PROJECT"
"""A header that Codex sends to OpenAI by itself, where the variable is set."""
_HEADERS = (HEADER.encode(), PROJECT.encode())


def with_token(token: str, own: str = "") -> str:
    """A header's value that says the token; `own` is what the user's own value would be."""
    return f"{token} {own}".rstrip()


def admitted(request: h11.Request, token: str) -> h11.Request | None:
    """The request without its token; None: it says none, or another."""
    headers, is_said = list[tuple[bytes, bytes]](), False
    for name, value in request.headers:
        word, _, own = value.partition(b" ")
        if name.lower() in _HEADERS and _is(word, token):
            is_said = True
            headers += [(name, own)] if own else []
        else:
            headers.append((name, value))
    _, first, rest = [*request.target.split(b"/", 2), b"", b""][:3]
    if _is(first, token):
        return h11.Request(method=request.method, target=b"/" + rest, headers=headers)
    return h11.Request(method=request.method, target=request.target, headers=headers) if is_said else None


def _is(word: bytes, token: str) -> bool:
    return hmac.compare_digest(word, token.encode())

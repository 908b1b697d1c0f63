"""The endpoint's token: requests carry the token in their path or a header, and are forwarded without it.

Most clients take the whole address, including the token, from an environment variable. Codex takes its address from the
command line, which every user of the machine can read. Codex can read headers from the environment, so it sends the
token in a header.
"""

from __future__ import annotations

import hmac

import h11

HEADER, VARIABLE = "x-dap-ai-token", "DAP_AI_ENDPOINT_TOKEN"
"""Header with the token that a client can be configured to send, and the environment variable for its value."""
PROJECT, PROJECT_VARIABLE = "openai-project", "OPENAI_PROJECT"
"""Header that Codex sends to OpenAI if the variable is set; used for the token as well."""
_HEADERS = (HEADER.encode(), PROJECT.encode())


def with_token(token: str, own: str = "") -> str:
    """Return a header value that contains the token; `own` is the user's own value for that header."""
    return f"{token} {own}".rstrip()


def admitted(request: h11.Request, token: str) -> h11.Request | None:
    """Return the request without its token; None if the token is missing or wrong."""
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

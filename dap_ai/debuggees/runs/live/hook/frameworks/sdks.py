"""Hook points for the openai and anthropic packages: adds a header with the agent's name to queries to the endpoint."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote, urlsplit

from .. import current_agent, gate_messages
from ..hook_points import Point

HEADER = "X-Dap-Ai-Agent"


def _named(original: Any) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        headers = original(*args, **kwargs)
        try:
            name, parent = current_agent.current()
            if name and _is_ours(args[0]):
                headers[HEADER] = "%s;%s" % (quote(name, safe=""), quote(parent, safe=""))
        except Exception as error:
            gate_messages.failed("naming the agent of a query", error)
        return headers

    return run


def _is_ours(client: Any) -> Any:
    gate = urlsplit(os.environ.get("DAP_AI_GATE", ""))
    return bool(gate.netloc) and urlsplit(str(client.base_url)).netloc == gate.netloc


POINTS = [
    Point("openai._base_client", "BaseClient._build_headers", ["self", "options", "retries_taken"], _named),
    Point("anthropic._base_client", "BaseClient._build_headers", ["self", "options", "retries_taken"], _named),
]

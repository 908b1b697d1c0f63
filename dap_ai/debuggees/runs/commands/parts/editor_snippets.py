"""Snippets to paste into an editor's configuration so that the editor connects to a served run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from dap_ai.protocol.wire.visible import visible

TYPE = "dap-ai-agent"
TOKEN_VARIABLE = "DAP_AI_TOKEN"  # noqa: S105  a variable's name, not a secret


def lines(name: str, host: str, port: int, token: str) -> Iterator[str]:
    """Yield a heading and an indented snippet for each editor. Without `token`, the snippets read DAP_AI_TOKEN."""
    yield "VS Code, with the extension dap-ai: launch.json"
    yield from (f"  {line}" for line in vscode(name, port, token).splitlines())
    yield "Neovim, with nvim-dap:"
    yield from (f"  :lua {line}" for line in nvim_dap(name, host, port, token))
    yield "Emacs, with dape: M-:"
    yield f"  {dape(host, port, token)}"
    yield f'Another editor: its debug adapter listens at {host}:{port}; "launch" with "dapAiToken"'


def vscode(name: str, port: int, token: str) -> str:
    """Return a configuration for VS Code's launch.json."""
    fields = {
        "name": name,
        "type": TYPE,
        "request": "launch",
        "debugServer": port,
        "dapAiToken": token or f"${{env:{TOKEN_VARIABLE}}}",
    }
    rows = [f"  {_json(key)}: {_json(value) if isinstance(value, str) else value}" for key, value in fields.items()]
    return "{\n" + ",\n".join(rows) + "\n}"


def nvim_dap(name: str, host: str, port: int, token: str) -> list[str]:
    """Return lines of Lua for nvim-dap: the adapter, and the start of a session."""
    given = _lua(token) if token else f'os.getenv("{TOKEN_VARIABLE}")'
    adapter = f'require("dap").adapters["{TYPE}"] = {{ type = "server", host = {_lua(host)}, port = {port} }}'
    fields = f'type = "{TYPE}", request = "launch", name = {_lua(name)}, dapAiToken = {given}'
    return [adapter, f'require("dap").run({{ {fields} }})']


def dape(host: str, port: int, token: str) -> str:
    """Return an Emacs Lisp expression for dape."""
    given = _elisp(token) if token else f'(getenv "{TOKEN_VARIABLE}")'
    return f'(dape (list \'host {_elisp(host)} \'port {port} :type "{TYPE}" :request "launch" :dapAiToken {given}))'


def _json(text: str) -> str:
    return _quoted(text, lambda code: json.dumps(chr(code))[1:-1])


def _lua(text: str) -> str:
    return _quoted(text, lambda code: f"\\u{{{code:x}}}")


def _elisp(text: str) -> str:
    return _quoted(text, lambda code: f"\\U{code:08x}")


def _quoted(text: str, escape: Callable[[int], str]) -> str:
    """Quote text on one line, with control and invisible characters escaped."""
    shown = (f"\\{c}" if c in '"\\' else c if c.isprintable() and visible(c) == c else escape(ord(c)) for c in text)
    return f'"{"".join(shown)}"'

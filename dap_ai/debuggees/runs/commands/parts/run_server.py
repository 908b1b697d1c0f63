"""Serves a run to editors, as a debug adapter on loopback."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

import click

from dap_ai.adapter.io.family import ChildPlace
from dap_ai.adapter.io.proxy_server import Proxy
from dap_ai.commands.display.command_output import Teller, warn
from dap_ai.commands.display.settings_table import resolve
from dap_ai.commands.options.listen_options import AddressFile, listening
from dap_ai.commands.signalled import until_signalled
from dap_ai.commands.wiring import ProxyWiring, check_provider
from dap_ai.debuggees.runs.adapter.recipe import AgentsBackend
from dap_ai.debuggees.runs.commands.parts.editor_snippets import TOKEN_VARIABLE
from dap_ai.system import thread_pool
from dap_ai.transport.byte_links import ByteLink


def serve(run: str, host: str, port: int, ready: Callable[[int, str], None]) -> int:
    """Serve the run until a signal arrives and return the signal's number; call `ready(port, token)` when listening.

    The token is DAP_AI_TOKEN, or a new token if that is unset. Raises ClickException if the port is not available.
    """
    resolved = resolve({"backend": "agents"})
    check_provider(resolved.settings)
    for warning in resolved.warnings:
        warn(warning)
    access = listening(f"{host}:{port}", os.environ.get(TOKEN_VARIABLE, ""), no_token=False).access
    teller, file = Teller(), AddressFile(resolved.settings.sockets)
    recipe = ProxyWiring(resolved, access, teller.tell, None, None, None)
    recipe.backend = AgentsBackend(run=run)

    def listens(_: str, bound: int) -> None:
        with contextlib.suppress(OSError):  # no folder, for example because the setting `sockets` is off
            file.write(host, bound, access.token)
        ready(bound, access.token)
        teller.tell(f"listening on {host}:{bound}: Ctrl-C ends this")

    try:
        return thread_pool.run(until_signalled(_StackStyle(recipe, teller.tell).serve_tcp(host, port, listens)))
    except OSError as error:
        raise click.ClickException(f"port {port}: {error.strerror or error}") from error
    finally:
        file.remove()
        teller.close()


class _StackStyle(Proxy):
    """Proxy that reports when a client connects and disconnects."""

    def __init__(self, recipe: ProxyWiring, tell: Callable[[str], None]) -> None:
        super().__init__(recipe)
        self._tell = tell

    async def serve(self, link: ByteLink, place: ChildPlace | None = None, *, eager: bool = False) -> None:
        """Serve a client like Proxy does; report its arrival and departure."""
        self._tell("an editor has connected")
        try:
            await super().serve(link, place, eager=eager)
        finally:
            self._tell("it has left; another may connect")

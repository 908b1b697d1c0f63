"""`dap-ai serve`: the proxy, for an editor."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import signal
import sys
import threading
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import click

from dap_ai.adapter.failing import SessionFailed
from dap_ai.commands.table import resolve
from dap_ai.commands.telling import Teller
from dap_ai.commands.wiring import open_wire_log, proxy_of

_HELP = """Speak the Debug Adapter Protocol to an editor, with a real debug adapter behind.

On stdin and stdout, or with --listen on TCP. Then `ask` is a request, and ??QUESTION in the debug console asks too.

\b
Examples:
  dap-ai serve
  dap-ai serve --listen 127.0.0.1:4711     VS Code: "debugServer": 4711
  dap-ai serve --listen 0.0.0.0:4711 --token SECRET
  dap-ai serve --backend lldb-dap-19       any debug adapter: docs/backends.md
  dap-ai serve --backend "gdb -i dap"
  dap-ai serve --connect 127.0.0.1:4712    one that listens there
"""

_SWITCH_S = 0.0005
"""For so long, not for Python's 5 ms, a message waits for a thread that imports or analyses."""


@click.command(help=_HELP)
@click.option(
    "--backend",
    metavar="NAME|COMMAND",
    help="The debug adapter behind: debugpy, or the command line of any other.  [default: debugpy]",
)
@click.option("--connect", metavar="HOST:PORT", help="Use the debug adapter that listens there: start none.")
@click.option("--listen", metavar="HOST:PORT", help="Serve on TCP; port 0 takes a free one and says which.")
@click.option(
    "--until-eof", is_flag=True, help="With --listen: end when stdin does, as with the program that holds it."
)
@click.option(
    "--token",
    envvar="DAP_AI_TOKEN",
    help='What a client must send as "dapAiToken"; needed unless HOST is loopback.  [env: DAP_AI_TOKEN]',
)
@click.option(
    "--answer-file", metavar="FILE", help="Write each answer there too, as Markdown; what is shown last is its path."
)
@click.option(
    "--log",
    "wire_log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Record all that is said, for dap-ai replay.",
)
def command(
    *,
    backend: str | None,
    connect: str | None,
    listen: str | None,
    until_eof: bool,
    token: str | None,
    answer_file: str | None,
    wire_log: Path | None,
) -> None:
    """Serves until the client is gone, or on TCP until it is ended."""
    sys.setswitchinterval(_SWITCH_S)
    resolved = resolve({"backend": "" if connect and backend is None else backend, "answer_file": answer_file})
    address = _address(listen, "--listen") if listen else None
    adapter = _address(connect, "--connect") if connect else None
    if address and not token and not _is_loopback(address[0]):
        raise click.UsageError(f"{address[0]} can be reached from other machines: set --token or DAP_AI_TOKEN.")
    _warn(resolved.warnings)
    teller = Teller() if address else None  # an editor shows what its adapter writes to stderr
    log = teller.tell if teller else None
    proxy = proxy_of(resolved, (token or "") if address else "", log, connect=adapter, wire_log=open_wire_log(wire_log))
    try:
        serving = proxy.serve_tcp(*address, _ready) if address else proxy.serve_stdio()
        asyncio.run(_until_signalled(serving, with_stdin=until_eof and address is not None))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except asyncio.CancelledError:
        raise SystemExit(128 + signal.SIGTERM) from None
    except SessionFailed as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{listen or 'stdio'}: {error.strerror or error}") from error
    finally:
        if teller:
            teller.close()


async def _until_signalled(work: Coroutine[Any, Any, None], *, with_stdin: bool = False) -> None:
    """Does `work`; an editor that ends us by a signal leaves no debug adapter and no debuggee behind.

    `with_stdin`: nor does one that was killed, whose end of our stdin is closed then.
    """
    task = asyncio.ensure_future(work)
    if with_stdin:
        # Not by the loop, which on Windows cannot read a pipe; a daemon, because a read cannot be interrupted.
        arguments = (asyncio.get_running_loop(), task)
        threading.Thread(target=_cancel_with_stdin, args=arguments, name="stdin", daemon=True).start()
    with contextlib.suppress(NotImplementedError):  # Windows: there the adapter sees its stdin end
        for name in ("SIGTERM", "SIGHUP"):
            if number := getattr(signal, name, None):
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    await task


def _cancel_with_stdin(loop: asyncio.AbstractEventLoop, task: asyncio.Future[None]) -> None:
    with contextlib.suppress(OSError):  # closed from the start
        while os.read(0, 4096):
            pass
    with contextlib.suppress(RuntimeError):  # the loop is closed: all is over
        loop.call_soon_threadsafe(task.cancel)


def _address(text: str, option: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"'{text}' is not HOST:PORT.", param_hint=option)
    return host.strip("[]") or "127.0.0.1", int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _ready(host: str, port: int) -> None:
    click.echo(f"dap-ai: listening on {host}:{port}", err=True)


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        click.echo(f"dap-ai: {warning}", err=True)

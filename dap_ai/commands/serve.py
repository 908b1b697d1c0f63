"""The command `dap-ai serve`: run the proxy for an editor."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dap_ai.adapter.io.error_boundary import SessionFailed
from dap_ai.adapter.io.proxy_server import Proxy
from dap_ai.adapter.state.session_options import NOBODY_ELSE
from dap_ai.commands.display.command_output import Teller, warn
from dap_ai.commands.display.settings_table import resolve
from dap_ai.commands.options.listen_options import AddressFile, Listening, address, listening, tell_tcp
from dap_ai.commands.running.holder import follow, hear
from dap_ai.commands.running.post_mortem_address import post_mortem_address
from dap_ai.commands.signalled import until_signalled
from dap_ai.commands.wiring import ProxyWiring, check_provider, open_wire_log
from dap_ai.protocol.contracts.backend import Backend
from dap_ai.system import thread_pool

_HELP = """Speak the Debug Adapter Protocol to an editor, in front of a real debug adapter.

It speaks on stdin and stdout, or with --listen on a Unix socket or TCP. A client can then send the request `ask`, and
??QUESTION in the debug console asks too. On TCP a client must send a token: DAP_AI_TOKEN, or the one that is shown.

\b
Examples:
  dap-ai serve
  dap-ai serve --listen unix:~/.cache/dap-ai.sock
  dap-ai serve --listen 127.0.0.1:4711     VS Code: "debugServer": 4711, "dapAiToken": TOKEN
  dap-ai serve --backend lldb-dap-19       any debug adapter: docs/backends.md
  dap-ai serve --backend "gdb -i dap"
  dap-ai serve --connect 127.0.0.1:4712    an adapter that listens there
  dap-ai serve --backend jupyter           the newest Jupyter kernel; --kernel FILE: another
"""


@click.command(help=_HELP)
@click.option(
    "--backend",
    metavar="NAME|COMMAND",
    help="The debug adapter: debugpy, or the command line of any other.  [default: debugpy]",
)
@click.option(
    "--connect", metavar="HOST:PORT", help=("Use the debug adapter that listens there instead of starting one.")
)
@click.option(
    "--post-mortem",
    is_flag=False,
    flag_value="",
    metavar="[ADDRESS]",
    help="The process that holds itself there after a failure (dap_ai.hold); without ADDRESS, the only one.",
)
@click.option(
    "--kernel",
    metavar="FILE",
    help="With --backend jupyter: the kernel's connection file, or a part of its name.  [default: the newest]",
)
@click.option(
    "--listen",
    metavar="HOST:PORT|unix:PATH",
    help="Serve on TCP (port 0 takes a free port and prints it), or on a Unix socket that only you can reach.",
)
@click.option(
    "--until-eof",
    is_flag=True,
    help="With --listen: exit at the end of stdin. The program that holds stdin may say there who answers.",
)
@click.option(
    "--token",
    envvar="DAP_AI_TOKEN",
    help='What a client on TCP must send as "dapAiToken".  [env: DAP_AI_TOKEN; default: a new one, which is shown]',
)
@click.option("--no-token", is_flag=True, help="On loopback only: admit any program that can reach the port.")
@click.option(
    "--answer-file", metavar="FILE", help="Also write each answer to FILE, as Markdown; what is shown last is its path."
)
@click.option(
    "--log",
    "wire_log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Record all messages, for dap-ai replay.",
)
def command(
    *,
    backend: str | None,
    connect: str | None,
    post_mortem: str | None,
    kernel: str | None,
    listen: str | None,
    until_eof: bool,
    token: str | None,
    no_token: bool,
    answer_file: str | None,
    wire_log: Path | None,
) -> None:
    """Serves until the client is gone, or on TCP until it is ended."""
    resolved = resolve({"backend": "" if connect and backend is None else backend, "answer_file": answer_file})
    token = "" if no_token and not _is_flag("token") else token or ""
    where = listening(listen, token, no_token=no_token) if listen else None
    if post_mortem is not None and (connect or backend):
        raise click.UsageError("--post-mortem names the process that answers: leave out --connect and --backend.")
    if kernel and backend != "jupyter":
        raise click.UsageError("--kernel names what --backend jupyter debugs.")
    adapter = address(connect, "--connect") if connect else None
    process = "" if post_mortem is None else post_mortem_address(post_mortem, resolved.settings.sockets)
    _warn(resolved.warnings)
    teller = Teller() if where else None  # none on stdio, because an editor shows its adapter's stderr
    log = teller.tell if teller else None
    access = where.access if where else NOBODY_ELSE
    held = until_eof and teller is not None
    if not held:
        check_provider(resolved.settings)  # otherwise the parent process may change it later
    recipe = ProxyWiring(resolved, access, log, None, process or adapter, open_wire_log(wire_log))
    if kernel:
        recipe.backend = _of_kernel(kernel)
    proxy, file = Proxy(recipe), AddressFile(resolved.settings.sockets)
    begin = partial(_follow_stdin, partial(hear, recipe.answer_by, teller.tell)) if held and teller else None
    try:
        serving = _serving(proxy, where, file) if where else proxy.serve_stdio()
        number = thread_pool.run(until_signalled(serving, begin))
        if number:
            raise SystemExit(128 + number)
    except SessionFailed as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{listen or 'stdio'}: {error.strerror or error}") from error
    finally:
        file.remove()
        if teller:
            teller.close()


def _of_kernel(kernel: str) -> Backend:
    from dap_ai.backends.jupyter import JupyterBackend  # noqa: PLC0415  seldom

    return JupyterBackend(kernel)


def _is_flag(name: str) -> bool:
    """Return whether the user gave this option on the command line, rather than in an environment variable."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _serving(proxy: Proxy, where: Listening, file: AddressFile) -> Coroutine[Any, Any, None]:
    if where.path is None:
        return proxy.serve_tcp(where.host, where.port, partial(tell_tcp, where, file))
    return proxy.serve_unix(where.path, lambda: warn(f"listening on {where.path}"))


def _follow_stdin(heard: Callable[[bytes], None], end: Callable[[int], None]) -> None:
    """Pass each line of stdin to `heard`, and end the proxy at end of file.

    Stdin also ends when the parent process is killed.
    """
    # A thread, because the loop cannot read a pipe on Windows; a daemon, because a read cannot be interrupted.
    arguments = (asyncio.get_running_loop(), heard, lambda: end(signal.SIGTERM))
    threading.Thread(target=follow, args=arguments, name="stdin", daemon=True).start()


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        warn(warning)

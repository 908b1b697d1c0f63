"""Options of `dap-ai serve` for its listening address, for who may connect, and for the access token."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import secrets
from pathlib import Path
from typing import NamedTuple

import click

from dap_ai.adapter.io import sockets
from dap_ai.adapter.state.session_options import NOBODY_ELSE, SessionAccess
from dap_ai.commands.display.command_output import warn

_UNIX = "unix:"
_TOKEN_BYTES = 24
_ENV = "DAP_AI_TOKEN"


class Listening(NamedTuple):
    """A listening address, with the rule for who may connect.

    The address is `host` and `port`, or the `path` of a Unix socket, to which only the same user may connect.
    """

    host: str
    port: int
    path: Path | None
    access: SessionAccess
    made_token: bool = False
    """Whether dap-ai generated the access token, so that it has to show the token."""


def listening(text: str, token: str, *, no_token: bool) -> Listening:
    """Parse `--listen`, `--token` and `--no-token` into a listening address. Raises UsageError."""
    if token and no_token:
        raise click.UsageError("--token and --no-token contradict each other.")
    if text.startswith(_UNIX):
        return Listening("", 0, Path(text.removeprefix(_UNIX)).expanduser().absolute(), NOBODY_ELSE)
    host, port = address(text, "--listen")
    if no_token and not _is_loopback(host):
        raise click.UsageError(f"{host} can be reached from other machines: --no-token is for loopback only.")
    if no_token:
        return Listening(host, port, None, SessionAccess(anonymous=True))
    return Listening(
        host, port, None, SessionAccess(token or secrets.token_urlsafe(_TOKEN_BYTES)), made_token=not token
    )


def address(text: str, option: str) -> tuple[str, int]:
    """Split HOST:PORT into host and port number; an empty host becomes 127.0.0.1. Raises BadParameter."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"'{text}' is not HOST:PORT.", param_hint=option)
    return host.strip("[]") or "127.0.0.1", int(port)


class AddressFile:
    """A file from which clients read the address: `listen-PORT.json` in the socket folder.

    Only its user can read it. It holds `{host, port, token, pid}`.
    """

    def __init__(self, setting: str) -> None:
        self._setting = setting
        self._path: Path | None = None

    def write(self, host: str, port: int, token: str) -> Path:
        """Write the file and return its path. Raises OSError.

        Replaces an existing file without following links.
        """
        path = sockets.folder(self._setting, make=True) / f"listen-{port}.json"
        new = path.with_name(f"{path.name}.{os.getpid()}")
        new.unlink(missing_ok=True)
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump({"host": host, "port": port, "token": token, "pid": os.getpid()}, file)
        new.replace(path)
        self._path = path
        return path

    def remove(self) -> None:
        """Remove the file if it was written; a second call does nothing."""
        path, self._path = self._path, None
        if path is not None:
            with contextlib.suppress(OSError):
                path.unlink()


def tell_tcp(where: Listening, file: AddressFile, host: str, port: int) -> None:
    """Print the TCP address on stderr, with the token if dap-ai generated it.

    A token set by the user is not printed.
    """
    warn(f"listening on {host}:{port}")
    if where.access.anonymous:
        warn("without a token: any of your programs can debug as you here")
    elif where.made_token:
        with contextlib.suppress(OSError):  # no folder: the setting `sockets` is off
            warn(f"where, and the token: {file.write(host, port, where.access.token)}")
        warn(f'clients need "dapAiToken": "{where.access.token}"  ({_ENV} sets your own)')


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

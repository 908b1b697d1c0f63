"""Finds the address of a process that is held after a failure."""

from __future__ import annotations

import click

from dap_ai.adapter.io import sockets


def post_mortem_address(wanted: str, setting: str) -> str:
    """Return the address `wanted`, or if it is empty, the address of the only held process.

    `setting` is the setting `sockets`. Raises UsageError.
    """
    if wanted:
        return wanted
    try:
        found = sockets.post_mortem_sockets(setting)
    except sockets.SocketError as error:
        raise click.UsageError(f"--post-mortem: {error}.") from error
    if not found:
        raise click.UsageError("--post-mortem: no process of yours is held after a failure.")
    if len(found) > 1:
        names = "\n  ".join(map(str, found))
        raise click.UsageError(f"--post-mortem: several processes are held. Name one:\n  {names}")
    return str(found[0])

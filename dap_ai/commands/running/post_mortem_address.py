"""Which process is meant that is held after a failure."""

from __future__ import annotations

import click

from dap_ai.adapter.io import sockets


def post_mortem_address(wanted: str, setting: str) -> str:
    """The address that was named; "": that of the only process that is held. Raises UsageError.

    `setting` is the setting `sockets`.
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

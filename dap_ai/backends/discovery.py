"""Finds a backend by its entry point in the group `dap_ai.backends`, or else by an adapter's command line."""

from __future__ import annotations

from importlib.metadata import entry_points

from dap_ai.backends import UnknownBackendError
from dap_ai.protocol.contracts.backend import Backend, StartError


def names() -> list[str]:
    """Return the names of the installed backends, sorted."""
    return sorted({entry.name for entry in entry_points(group="dap_ai.backends")})


def discover(name: str, *, started: bool = True) -> Backend:
    """Return the backend called `name`, or a backend for the adapter command line `name`.

    `started`: dap-ai starts the adapter. If False, the adapter already runs, and the command line only identifies it;
    an empty `name` is an unknown adapter. Raises UnknownBackendError.
    """
    for entry in entry_points(group="dap_ai.backends", name=name):
        return _startable(entry.load()) if started else entry.load()
    from dap_ai.backends.generic import GenericBackend, from_command_line  # noqa: PLC0415  most backends are found by name

    if not name and not started:
        return GenericBackend([])
    try:
        return from_command_line(name, started=started)
    except StartError as error:
        installed = ", ".join(names()) or "none"
        raise UnknownBackendError(
            f"'{name}' is neither a backend ({installed}) nor a command that starts a debug adapter: {error}."
        ) from error


def _startable(backend: Backend) -> Backend:
    """Return the backend unchanged. Raises UnknownBackendError if its adapter is not installed."""
    try:
        backend.command()
    except StartError as error:
        raise UnknownBackendError(f"the backend {backend.name} cannot be started: {error}") from error
    return backend

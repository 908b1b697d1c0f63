"""The backend of a name: an entry point of the group `dap_ai.backends`, else any adapter by its command line."""

from __future__ import annotations

from importlib.metadata import entry_points

from dap_ai.backends import UnknownBackendError
from dap_ai.protocol.contracts.backend import Backend, StartError


def names() -> list[str]:
    """The backends that are installed."""
    return sorted({entry.name for entry in entry_points(group="dap_ai.backends")})


def discover(name: str, *, started: bool = True) -> Backend:
    """The backend called `name`, else any adapter by the command line that starts it. Raises UnknownBackendError.

    Without `started` it runs already: the command line only tells which one it is; empty: nobody knows.
    """
    for entry in entry_points(group="dap_ai.backends", name=name):
        return _startable(entry.load()) if started else entry.load()
    from dap_ai.backends.generic import GenericBackend, from_command_line  # noqa: PLC0415  most are known by name

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
    """The same, if its adapter is there. Raises UnknownBackendError."""
    try:
        backend.command()
    except StartError as error:
        raise UnknownBackendError(f"the backend {backend.name} cannot be started: {error}") from error
    return backend

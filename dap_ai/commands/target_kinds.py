"""Chooses the kind of debuggee that the command line names, and the debugger for that kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast

import click
import msgspec

from dap_ai.agent.kinds import DEFAULT, kinds, named
from dap_ai.backends import UnknownBackendError
from dap_ai.backends.discovery import discover
from dap_ai.commands.running.run_targets import Out, Target
from dap_ai.settings.configuration import Resolved


class TargetRequest(msgspec.Struct, frozen=True):
    """The target as the command line names it, not yet checked. `cwd` is an absolute path."""

    words: Sequence[str]
    """PROGRAM and its arguments; with `module`, the arguments alone."""
    cwd: str
    env: Mapping[str, str] = {}
    module: str | None = None
    pid: int | None = None
    core: str | None = None
    sanitize: Sequence[str] = ()
    run: str | None = None
    """The path of an agent's recorded run."""
    against: str | None = None
    """The path of another recorded run of the same task, to compare `run` with."""
    agent: bool = False
    """Whether `words` is the command line of an agent to run."""
    held: str | None = None
    """The address of a process held after a failure."""
    kernel: str | None = None
    """The connection file of a Jupyter kernel; empty: the newest kernel."""
    stays: bool = False
    """Whether to wait for the first stop of a target that has not stopped yet."""


Tell = Callable[[str], None]
"""A function that shows one status line to the user."""
Make = Callable[[Out], Target]


class KindPort(Protocol):
    """The interface through which the command line uses a kind of debuggee (Python, native, ...)."""

    name: str
    called: str
    """The kind's name as in the sentence `this is ...`."""
    debugs: str
    """The kind's name as in the sentence `debugpy debugs ...`."""
    backends: Sequence[str]
    """Names of the backends that can debug this kind, the preferred backend first."""

    def claims(self, wanted: TargetRequest) -> bool:
        """Return whether the user names a target of this kind. Raises UsageError if the target does not exist."""
        ...

    def look(self, wanted: TargetRequest, resolved: Resolved, tell: Tell) -> Make:
        """Prepare the target, and return a function that makes it. Raises UsageError, StartError."""
        ...


def kind_of(wanted: TargetRequest) -> KindPort:
    """Return the kind of debuggee that claims the target; Python if no kind claims it. Raises UsageError."""
    known = cast("list[KindPort]", list(kinds()))
    claimed = (kind for kind in known if kind.name != DEFAULT and kind.claims(wanted))
    return next(claimed, cast("KindPort", named(DEFAULT)))


def backend_for(resolved: Resolved, kind: KindPort) -> str | None:
    """Return the name of the backend that must replace the configured backend; None if that backend fits.

    Raises UsageError.
    """
    chosen, source = resolved.settings.backend, resolved.sources["backend"]
    others = [other for other in cast("list[KindPort]", list(kinds())) if chosen in other.backends]
    if not others or kind in others:
        return None
    if source == "flag":
        fitting = " or ".join(kind.backends)
        raise click.UsageError(
            f"--backend {chosen} debugs {others[0].debugs}, but this is {kind.called}: use --backend {fitting}."
        )
    return _first_installed(kind)


def _first_installed(kind: KindPort) -> str:
    """Return the name of the first installed backend for a kind. Raises UsageError with what to install."""
    advice = ""
    for name in kind.backends:
        try:
            discover(name)
        except UnknownBackendError as error:  # noqa: PERF203  two rounds
            advice = advice or str(error)
        else:
            return name
    raise click.UsageError(f"this is {kind.called}, and there is no debugger for it: {advice}")

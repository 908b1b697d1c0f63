"""Which kind of debuggee the command line names, and so which debugger is behind the proxy."""

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
    """What the command line names, before anybody has looked at it. `cwd` is absolute."""

    words: Sequence[str]
    """PROGRAM and its arguments; of a module, the arguments alone."""
    cwd: str
    env: Mapping[str, str] = {}
    module: str | None = None
    pid: int | None = None
    core: str | None = None
    sanitize: Sequence[str] = ()
    run: str | None = None
    """A recorded run of an agent."""
    against: str | None = None
    """Another one, of the same task."""
    agent: bool = False
    """The words are an agent that is to be run."""
    held: str | None = None
    """The address of a process that is held after a failure."""
    kernel: str | None = None
    """The connection file of a Jupyter kernel; empty: the newest."""
    stays: bool = False
    """What has not stopped yet is waited for."""


Tell = Callable[[str], None]
"""Shows a line of status."""
Make = Callable[[Out], Target]


class KindPort(Protocol):
    """What a kind of debuggee is to the command line."""

    name: str
    called: str
    """In the sentence `this is ...`."""
    debugs: str
    """In the sentence `debugpy debugs ...`."""
    backends: Sequence[str]
    """Those that debug it, by name, the preferred one first."""

    def claims(self, wanted: TargetRequest) -> bool:
        """Whether it is what the user names. Raises UsageError: there is no such thing."""
        ...

    def look(self, wanted: TargetRequest, resolved: Resolved, tell: Tell) -> Make:
        """Makes ready what is to be debugged; what makes it a target. Raises UsageError, StartError."""
        ...


def kind_of(wanted: TargetRequest) -> KindPort:
    """Who claims it; Python, where nobody does. Raises UsageError."""
    known = cast("list[KindPort]", list(kinds()))
    claimed = (kind for kind in known if kind.name != DEFAULT and kind.claims(wanted))
    return next(claimed, cast("KindPort", named(DEFAULT)))


def backend_for(resolved: Resolved, kind: KindPort) -> str | None:
    """The backend that must take the place of the one that is set; None: that one serves. Raises UsageError."""
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
    """Raises UsageError with what to install."""
    advice = ""
    for name in kind.backends:
        try:
            discover(name)
        except UnknownBackendError as error:  # noqa: PERF203  two rounds
            advice = advice or str(error)
        else:
            return name
    raise click.UsageError(f"this is {kind.called}, and there is no debugger for it: {advice}")

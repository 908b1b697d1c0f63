"""The composition root: what a proxy is made of, built from the settings, for `ask` and `serve` alike."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import msgspec

from dap_ai.adapter.io.proxy_server import Proxy
from dap_ai.adapter.state.session_options import NOBODY_ELSE, SessionAccess, SessionOptions, new_child_token
from dap_ai.backends import UnknownBackendError
from dap_ai.backends.connected import ConnectedAdapter
from dap_ai.backends.discovery import discover
from dap_ai.backends.spawn import AdapterProcess
from dap_ai.commands.display.answer_file import AnswerFile
from dap_ai.protocol.contracts.backend import Backend
from dap_ai.protocol.wire.caught_messages import FILTERS
from dap_ai.settings import configuration

if TYPE_CHECKING:
    from dap_ai.adapter.io.ports import AgentPort as AnyAgent
    from dap_ai.adapter.session.session import Session
    from dap_ai.agent.masking.mask import Masker
    from dap_ai.agent.session_agent import SessionAgent
    from dap_ai.commands.display.wirelog import SessionLog, WireLog
    from dap_ai.commands.running.run_targets import Target
    from dap_ai.protocol.contracts.debugger import RawDebugger, SafeSink
    from dap_ai.protocol.contracts.question import AcceptedAsk, NotAnswered, SafeAnswer
    from dap_ai.protocol.contracts.repeatable_run import NoPast, Recalled
    from dap_ai.protocol.wire.safe import Safe
    from dap_ai.transport.client import DapClient

_LOG_S = 30.0
"""So long after its agent a session's last lines may still be written to the wire log."""


def backend_of(settings: configuration.Settings, *, started: bool = True) -> Backend:
    """The backend that the settings name; without `started` it runs already. Raises UsageError."""
    try:
        return discover(settings.backend, started=started)
    except UnknownBackendError as error:
        raise click.UsageError(str(error)) from error


def check_provider(settings: configuration.Settings) -> None:
    """Raises UsageError if nobody can answer with these settings: before a program runs in vain."""
    if configuration.provider_of(settings, os.environ) == "offline":
        return
    from dap_ai.agent.providers.base import ProviderError  # noqa: PLC0415  45 ms, spared above
    from dap_ai.agent.providers.loading import load  # noqa: PLC0415  45 ms, spared above

    try:
        load(settings, os.environ)
    except ProviderError as error:
        raise click.UsageError(error.user_text) from error


def open_wire_log(path: Path | None) -> WireLog | None:
    """The file that sessions are recorded in. Raises UsageError."""
    if path is None:
        return None
    from dap_ai.commands.display.wirelog import WireLog  # noqa: PLC0415  as below

    try:
        return WireLog(path)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise click.UsageError(f"--log: {path} cannot be written to: {why}.") from error


class ProxyWiring:
    """What each session of a proxy is made of; `own` are a session's launch arguments for us.

    `connect`: where the adapter listens that is to be used instead of starting one; a text: where a process is held.
    """

    def __init__(  # noqa: PLR0917  what proxy_of is given, in its order
        self,
        resolved: configuration.Resolved,
        access: SessionAccess,
        log: Callable[[Safe], None] | None,
        masker: Masker | None,
        connect: tuple[str, int] | str | None,
        wire_log: WireLog | None,
    ) -> None:
        is_held, started = isinstance(connect, str), connect is None
        self.backend: Backend = _post_mortem_backend() if is_held else backend_of(resolved.settings, started=started)
        self._connect = connect
        self._log = log
        self._masker = masker
        self._resolved = resolved
        self._environ: Mapping[str, str] = os.environ
        """Where keys and endpoints stand."""
        self._agents: weakref.WeakSet[SessionAgent] = weakref.WeakSet()
        self._access = access
        self._child_token = access.token or new_child_token()
        self._wire_log = wire_log
        self._agents_maskers: list[Masker] = [masker] if masker else []

    def log(self, text: str) -> None:
        """Something for the log, masked; the agents mask what they say of a program themselves."""
        if self._log:
            self._log(self.mask(text))

    def mask(self, text: str) -> Safe:
        """The text of an error without secrets."""
        return self._log_masker.mask(text)

    @cached_property
    def _log_masker(self) -> Masker:
        from dap_ai.agent.masking.mask import Masker  # noqa: PLC0415  as below

        return self._masker or Masker(self._resolved.settings.mask)

    async def spawn(self, log: Callable[[str], None]) -> AdapterProcess | ConnectedAdapter:
        """The debug adapter, started or connected to. Raises OSError."""
        if isinstance(self._connect, str):
            return await ConnectedAdapter.open_post_mortem(self._connect, log)
        if self._connect is not None:
            return await ConnectedAdapter.open(*self._connect, log)
        return await AdapterProcess.start(self.backend.command(), log)

    def for_anybody(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The user alone says which interpreter runs: by the settings, or by where dap-ai was started."""
        is_python = self.backend.name == "debugpy"
        if is_python and command == "attach":
            return arguments  # nothing runs beside a program that runs already
        python = self._resolved.settings.python or self.backend.default_python(str(Path.cwd()))
        named = {key for key in self.backend.runs_beside & arguments.keys() if arguments[key] not in (python, [python])}
        if named:
            raise ValueError(
                f"A client without a token must not choose what runs beside its program ({', '.join(sorted(named))}): "
                "start `dap-ai serve` without --no-token."
            )
        return arguments | ({"python": python} if is_python else {})

    def journal(self, session: Session) -> SessionLog | None:
        """Where this session is recorded."""
        if self._wire_log is None:
            return None
        from dap_ai.commands.display.wirelog import SessionLog  # noqa: PLC0415  only a log needs it

        return SessionLog(
            self._wire_log, self.backend.name, session, masker=self._new_masker, known=self._found, failed=self.log
        )

    def _new_masker(self) -> Masker:
        from dap_ai.agent.masking.mask import Masker  # noqa: PLC0415  as below

        return Masker(self._resolved.settings.mask)

    def _found(self) -> set[str]:
        """The secrets that the agents know of."""
        return {secret for masker in list(self._agents_maskers) for secret in masker.known()}

    def agent(self, own: Mapping[str, Any]) -> AnyAgent:
        """What answers in one session."""
        from dap_ai.agent.session_agent import SessionAgent  # noqa: PLC0415  45 ms that only a question needs

        resolved, environ = self._resolved, self._environ
        settings = configuration.merge_launch(resolved, own).settings
        masker = self._masker or self._new_masker()
        made = SessionAgent(settings, environ, masker)
        self._agents.add(made)
        if environ is not self._environ:  # another was chosen in these milliseconds
            made.answer_by(self._resolved.settings, self._environ)
        made.warm()
        self.backend.warm()
        agent: AnyAgent = AnswerFile(made, settings.answer_file) if settings.answer_file else made
        is_logged = self._wire_log is not None and self._masker is None
        return _Logged(agent, masker, self._agents_maskers) if is_logged else agent

    def answer_by(self, variables: Mapping[str, str | None]) -> str:
        """Whom these variables name answers from now on, in every session; None: it is not set. Who that is, in words.

        The environment of this process stays as it is: debug adapters and programs inherit it. Raises ConfigError.
        """
        from dap_ai.commands.options.provider_notice import notice_of  # noqa: PLC0415  only who changes it needs it

        environ = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
        settings = configuration.answered_by(
            self._resolved.settings, configuration.load(Path.cwd(), {}, environ).settings
        )
        self._resolved = msgspec.structs.replace(self._resolved, settings=settings)
        self._environ = environ
        for agent in list(self._agents):
            agent.answer_by(settings, environ)
        return notice_of(settings, environ)

    def options(self, own: Mapping[str, Any]) -> SessionOptions:
        """What one session may do. Raises ConfigError."""
        settings = configuration.merge_launch(self._resolved, own).settings
        return SessionOptions(
            level=settings.level,
            console_prefix=settings.console_prefix,
            ask_events=own.get("askEvents") is True,
            ask_timeout_s=settings.ask_timeout_s,
            approval_timeout_s=settings.approval_timeout_s,
            snapshots=settings.snapshots,
            snapshot_reads=settings.snapshot_reads,
            sockets=settings.sockets,
            stop_at=tuple(name for name in FILTERS if name in _names(own.get("dapAiStopAt"))),
            token=self._access.token,
            child_token=self._child_token,
            anonymous=self._access.anonymous,
        )


def _post_mortem_backend() -> Backend:
    from dap_ai.backends.debugpy.post_mortem_backend import PostMortemBackend  # noqa: PLC0415  seldom

    return PostMortemBackend()


def _names(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


class _Logged:
    """An agent from whose masker the wire log learns what to hide."""

    def __init__(self, agent: AnyAgent, masker: Masker, maskers: list[Masker]) -> None:
        self._agent = agent
        self._masker = masker
        self._maskers = maskers
        maskers.append(masker)

    async def answer(self, ask: AcceptedAsk, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
        """As the agent answers."""
        return await self._agent.answer(ask, debugger, sink)

    async def recall(self, debugger: RawDebugger) -> Recalled | NoPast:
        """The agent's."""
        return await self._agent.recall(debugger)

    async def close(self) -> None:
        """The log does without the masker soon."""
        await self._agent.close()
        asyncio.get_running_loop().call_later(_LOG_S, self._maskers.remove, self._masker)


def proxy_of(
    resolved: configuration.Resolved,
    *,
    masker: Masker | None = None,
    connect: tuple[str, int] | str | None = None,
    wire_log: WireLog | None = None,
    backend: Backend | None = None,
) -> Proxy:
    """A proxy before the backend that the settings name, with an agent that answers its asks. Raises UsageError.

    Nobody else may use it. `masker`: that of its only session; None: each session has its own. `connect`: where the
    adapter listens already. `wire_log`: where sessions are recorded. `backend`: in place of the one that is set.
    """
    check_provider(resolved.settings)
    recipe = ProxyWiring(resolved, NOBODY_ELSE, None, masker, connect, wire_log)
    recipe.backend = backend or recipe.backend
    return Proxy(recipe)


async def client_of(
    resolved: configuration.Resolved, target: Target, masker: Masker, wire_log: Path | None
) -> DapClient:
    """A client of a proxy before what debugs the target; `wire_log`: the file that the session is recorded in.

    Raises UsageError, OSError.
    """
    log, connect = open_wire_log(wire_log), target.connect or None
    proxy = proxy_of(resolved, masker=masker, connect=connect, wire_log=log, backend=target.backend)
    return await proxy.open_in_process()

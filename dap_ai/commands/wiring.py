"""The composition root: builds the parts of a proxy from the settings, for all commands."""

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
"""Seconds for which the wire log can still use a session's masker after its agent has closed."""


def backend_of(settings: configuration.Settings, *, started: bool = True) -> Backend:
    """Return the backend that the settings name. Raises UsageError if the name is unknown.

    `started`: dap-ai starts the adapter itself; if False, the adapter already runs.
    """
    try:
        return discover(settings.backend, started=started)
    except UnknownBackendError as error:
        raise click.UsageError(str(error)) from error


def check_provider(settings: configuration.Settings) -> None:
    """Raise UsageError if no model provider can answer with these settings; called before the program runs."""
    if configuration.provider_of(settings, os.environ) == "offline":
        return
    from dap_ai.agent.providers.base import ProviderError  # noqa: PLC0415  45 ms, spared above
    from dap_ai.agent.providers.loading import load  # noqa: PLC0415  45 ms, spared above

    try:
        load(settings, os.environ)
    except ProviderError as error:
        raise click.UsageError(error.user_text) from error


def open_wire_log(path: Path | None) -> WireLog | None:
    """Open the file to record sessions in. Raises UsageError if the file cannot be written.

    Returns None if `path` is None.
    """
    if path is None:
        return None
    from dap_ai.commands.display.wirelog import WireLog  # noqa: PLC0415  as below

    try:
        return WireLog(path)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise click.UsageError(f"--log: {path} cannot be written to: {why}.") from error


class ProxyWiring:
    """Creates the parts of each session of a proxy: adapter, agent, options, wire log.

    `connect` is the host and port of a running adapter to use instead of starting an adapter, or the address of a held
    process. `own`, in the methods, are the launch arguments that are meant for dap-ai.
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
        """Environment variables, which may name keys and endpoints."""
        self._agents: weakref.WeakSet[SessionAgent] = weakref.WeakSet()
        self._access = access
        self._child_token = access.token or new_child_token()
        self._wire_log = wire_log
        self._agents_maskers: list[Masker] = [masker] if masker else []

    def log(self, text: str) -> None:
        """Write a text to the log, masked. Agents mask their own messages about a program."""
        if self._log:
            self._log(self.mask(text))

    def mask(self, text: str) -> Safe:
        """Return the text with secrets masked."""
        return self._log_masker.mask(text)

    @cached_property
    def _log_masker(self) -> Masker:
        from dap_ai.agent.masking.mask import Masker  # noqa: PLC0415  as below

        return self._masker or Masker(self._resolved.settings.mask)

    async def spawn(self, log: Callable[[str], None]) -> AdapterProcess | ConnectedAdapter:
        """Start the debug adapter, or connect to a running adapter. Raises OSError."""
        if isinstance(self._connect, str):
            return await ConnectedAdapter.open_post_mortem(self._connect, log)
        if self._connect is not None:
            return await ConnectedAdapter.open(*self._connect, log)
        return await AdapterProcess.start(self.backend.command(), log)

    def for_anybody(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the launch arguments of a client without a token, with an interpreter that it did not choose.

        The settings, or the folder in which dap-ai was started, choose the interpreter. Raises ValueError if the client
        names another program to run.
        """
        is_python = self.backend.name == "debugpy"
        if is_python and command == "attach":
            return arguments  # attaching starts no interpreter
        python = self._resolved.settings.python or self.backend.default_python(str(Path.cwd()))
        named = {key for key in self.backend.runs_beside & arguments.keys() if arguments[key] not in (python, [python])}
        if named:
            raise ValueError(
                f"A client without a token must not choose what runs beside its program ({', '.join(sorted(named))}): "
                "start `dap-ai serve` without --no-token."
            )
        return arguments | ({"python": python} if is_python else {})

    def journal(self, session: Session) -> SessionLog | None:
        """Return the wire log that records a session; None if sessions are not recorded."""
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
        """Return the secrets that the maskers of all agents have found."""
        return {secret for masker in list(self._agents_maskers) for secret in masker.known()}

    def agent(self, own: Mapping[str, Any]) -> AnyAgent:
        """Create the agent that answers questions in one session."""
        from dap_ai.agent.session_agent import SessionAgent  # noqa: PLC0415  45 ms, needed only for a question

        resolved, environ = self._resolved, self._environ
        settings = configuration.merge_launch(resolved, own).settings
        masker = self._masker or self._new_masker()
        made = SessionAgent(settings, environ, masker)
        self._agents.add(made)
        if environ is not self._environ:  # the provider changed while the agent was being created
            made.answer_by(self._resolved.settings, self._environ)
        made.warm()
        self.backend.warm()
        agent: AnyAgent = AnswerFile(made, settings.answer_file) if settings.answer_file else made
        is_logged = self._wire_log is not None and self._masker is None
        return _Logged(agent, masker, self._agents_maskers) if is_logged else agent

    def answer_by(self, variables: Mapping[str, str | None]) -> str:
        """Switch all sessions to the provider that these environment variables name; return its description.

        A variable whose value is None is unset. The environment of this process does not change, because debug adapters
        and programs inherit it. Raises ConfigError.
        """
        from dap_ai.commands.options.provider_notice import notice_of  # noqa: PLC0415  needed only when the provider changes

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
        """Return the options and permissions of one session, from settings and launch arguments. Raises ConfigError."""
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
    """Wraps an agent, so that the wire log masks the secrets that the agent's masker knows."""

    def __init__(self, agent: AnyAgent, masker: Masker, maskers: list[Masker]) -> None:
        self._agent = agent
        self._masker = masker
        self._maskers = maskers
        maskers.append(masker)

    async def answer(self, ask: AcceptedAsk, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
        """Answer a question through the wrapped agent."""
        return await self._agent.answer(ask, debugger, sink)

    async def recall(self, debugger: RawDebugger) -> Recalled | NoPast:
        """Return what a copy of the program can rerun up to this stop, from the wrapped agent."""
        return await self._agent.recall(debugger)

    async def close(self) -> None:
        """Close the agent; release its masker later, once the last lines of the log are written."""
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
    """Create a proxy for the configured debug adapter, with an agent to answer questions. Raises UsageError.

    No other user may connect to the proxy. `masker`: the masker of the proxy's only session; None: each session makes
    its own. `connect`: the address of a running adapter. `wire_log`: the log to record sessions in. `backend`: a
    backend to use instead of the configured backend.
    """
    check_provider(resolved.settings)
    recipe = ProxyWiring(resolved, NOBODY_ELSE, None, masker, connect, wire_log)
    recipe.backend = backend or recipe.backend
    return Proxy(recipe)


async def client_of(
    resolved: configuration.Resolved, target: Target, masker: Masker, wire_log: Path | None
) -> DapClient:
    """Create a proxy for the target, and return a client of that proxy. Raises UsageError, OSError.

    `wire_log`: the file to record the session in.
    """
    log, connect = open_wire_log(wire_log), target.connect or None
    proxy = proxy_of(resolved, masker=masker, connect=connect, wire_log=log, backend=target.backend)
    return await proxy.open_in_process()

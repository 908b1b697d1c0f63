"""`dap-ai ask --join`: a guest in the session of an editor, which asks and looks, and moves nothing.

1. All that happens comes through one queue, as in a run: the session's events, the user's signals and lines, the end.
2. What answers is the session's own agent: its provider, its masking, at most its level.
3. However the guest leaves, the session goes on as if it had never been there; only its question is cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from dap_ai.agent.mask import Masker
from dap_ai.agent.transcript import Exchange, markdown, write_private
from dap_ai.client import Client, ConnectionClosed
from dap_ai.commands.running import chat
from dap_ai.commands.running.asking import Asking
from dap_ai.commands.running.controls import Controls
from dap_ai.commands.running.guests import choose, joined, look_at_all, name_of
from dap_ai.commands.running.outcome import Outcome, Wishes
from dap_ai.commands.running.prompt import Prompt, read_line
from dap_ai.commands.running.signals import heard
from dap_ai.commands.running.starting import Events, hear
from dap_ai.commands.shown.display import Display
from dap_ai.commands.shown.unread import told_when_unread
from dap_ai.protocol.errors import RequestFailed
from dap_ai.protocol.sessions import SessionInfo

_OPTIONS = frozenset(
    {"join", "question", "chat", "level", "show_context", "show_masked", "verbose", "export", "json_lines"}
)
"""What may stand beside `--join`."""
_STOP_S = 5.0
_END_S = 2.0

_HELP = """\
a question  about the stopped program; it may refer to the answers before
evaluate X  and trace X, slice X: one tool, without a model
continue    leave; so do quit, an empty line and Ctrl-D: the program stays as it is
Ctrl-C cancels an answer that is being made, and clears the line at the prompt."""
_NOT_MOVED = "The program is the editor's: step and continue there, then ask on here."


def check_options(context: click.Context) -> None:
    """Raises UsageError: what a guest cannot choose is refused, not ignored."""
    if context.params["program"]:
        raise click.UsageError("--join asks about a session that runs already: name no PROGRAM with it.")
    for option in context.command.params:
        name = option.name or ""
        if name not in {*_OPTIONS, "program"} and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[-1]} says nothing of a session that runs already: not with --join.")
    if context.params["level"] == "mutate":
        raise click.UsageError("--level: a guest never acts on the program of an editor: observe or compute.")


async def ask_as_guest(
    wanted: str, wishes: Wishes, display: Display, prompt: Prompt, masker: Masker, *, sockets: str
) -> Outcome:
    """Finds the session, joins it and leaves it. `sockets` is the setting.

    Raises UsageError, NothingStopped, SocketError, RequestFailed, ConnectionClosed, TimeoutError.
    """
    about = choose(await look_at_all(sockets), wanted)
    lowered = msgspec.structs.replace(wishes, level="observe" if wishes.level == "observe" else "compute")
    async with joined(about.id, sockets) as (client, about):
        guest = Join(client, about, display, lowered, prompt)
        try:
            return await guest.run()
        finally:
            if wishes.export:
                write_private(wishes.export, masker.mask(markdown(guest.exchanges)))


class Join:
    """One guest, from its arrival to its leaving."""

    def __init__(self, client: Client, about: SessionInfo, display: Display, wishes: Wishes, prompt: Prompt) -> None:
        self._client = client
        self._about = about
        self._display = display
        self._wishes = wishes
        self._prompt = prompt
        self._events: Events = asyncio.Queue()
        self._outcome = Outcome()
        self._controls = Controls(client, (), ())
        self._asking = Asking(self._controls, display, wishes, self._outcome)
        self._stop: dict[str, Any] = {}
        """The newest; empty before the first."""
        self._told = True
        """It has been shown."""
        self._prompting = False
        self._interrupted = False

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """What was asked and answered, oldest first."""
        return self._asking.exchanges

    async def run(self) -> Outcome:
        """Returns when the guest has left.

        Raises RequestFailed, ConnectionClosed, TimeoutError; BrokenPipeError once nobody reads what is answered.
        """
        hear(self._client, self._events)
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  we are in one

        def end(number: int) -> None:
            if not self._outcome.signal_number:  # a second one must not interrupt the end
                self._outcome.signal_number = number
                task.cancel()

        def interrupt() -> None:
            if (self._asking.under_way or self._prompting) and not self._interrupted:
                self._events.put_nowait(("interrupt", {}))
            else:
                end(signal.SIGINT)

        closed = asyncio.create_task(self._closed())
        unread = told_when_unread(lambda: self._events.put_nowait(("unread", {})))
        with heard(interrupt, end, lambda: None), unread:
            try:
                await self._start()
                while await self._handle(*await self._events.get()):
                    pass
            except asyncio.CancelledError:
                if not self._outcome.signal_number:
                    raise
            finally:
                closed.cancel()
                self._prompt.close()
                await self._leave()
        self._asking.sum_up()
        return self._outcome

    async def _start(self) -> None:
        editor = f" in {self._about.client}" if self._about.client else ""
        self._display.status(f"joined {name_of(self._about)}{editor}")
        await self._controls.request("attach", {})
        await self._controls.request("configurationDone")
        asyncio.get_running_loop().call_later(_STOP_S, lambda: self._events.put_nowait(("notStopped", {})))

    async def _closed(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self._client.wait_event("")  # no event has this name
        self._events.put_nowait(("closed", {}))

    async def _handle(self, name: str, body: dict[str, Any]) -> bool:
        """False after the last event."""
        match name:
            case "stopped":
                return await self._on_stopped(body)
            case "askOutput" if self._asking.is_about(body):
                self._asking.on_output(body)
            case "askEnded" if self._asking.is_about(body):
                self._asking.on_ended(body)
                return self._after_answer()
            case "line":
                return await self._on_line(body["text"])
            case "notStopped" if not self._stop:
                self._display.status("the program is not stopped any more: it has gone on meanwhile")
                return False
            case "closed":
                return self._on_closed()
            case "interrupt":
                return await self._on_interrupt()
            case "unread":
                raise BrokenPipeError
            case _:
                pass
        return True

    async def _on_stopped(self, body: dict[str, Any]) -> bool:
        """The first stop is asked about; what stops later, the user's next question is about."""
        first = not self._stop
        self._stop, self._told = body, False
        return await self._ask(self._wishes.question) if first else True

    async def _ask(self, question: str) -> bool:
        thread_id = self._stop["threadId"]
        self._interrupted = False
        try:
            if not self._told:
                self._told = True
                self._display.stopped(self._stop)
                self._display.status(await self._controls.place(thread_id))
            await self._asking.ask(question, thread_id)
        except (RequestFailed, TimeoutError, asyncio.TimeoutError) as error:
            self._outcome.failed = True
            self._display.error(error.user_text if isinstance(error, RequestFailed) else "the session does not answer")
            return self._after_answer()
        return True

    def _after_answer(self) -> bool:
        """In a chat the user has the word; else the guest leaves."""
        if self._wishes.chat:
            self._read_line()
        return self._wishes.chat

    def _read_line(self) -> None:
        self._interrupted = False
        self._prompting = True
        self._display.prompting()
        read_line(self._prompt, self._events)

    async def _on_line(self, text: str | None) -> bool:
        self._prompting = False
        if text is not None and not self._prompt.echoes:
            self._display.status(chat.PROMPT + text)
        said = chat.parse(text)
        if said.word in ("quit", "continue"):
            return False
        if not said.word:
            return await self._ask(said.question)
        self._display.status(_HELP if said.word == "help" else _NOT_MOVED)
        self._read_line()
        return True

    def _on_closed(self) -> bool:
        if self._asking.under_way or not self.exchanges:
            self._outcome.failed = True
            self._display.error("the session ended before it could answer")
        else:
            self._display.status("the session has ended")
        return False

    async def _on_interrupt(self) -> bool:
        """The first Ctrl-C cancels the question, or clears the line; a second one leaves."""
        if self._prompting:
            if self._prompt.interrupted():
                return True
        elif self._asking.under_way:
            self._interrupted = True
            self._display.status("cancelling; press Ctrl-C again to leave")
            await self._asking.cancel()
            return True
        self._outcome.signal_number = signal.SIGINT
        return False

    async def _leave(self) -> None:
        with contextlib.suppress(RequestFailed, ConnectionClosed, TimeoutError, asyncio.TimeoutError):
            await self._client.request("disconnect", {"terminateDebuggee": False}, timeout_s=_END_S)

"""The loop of `dap-ai debug`: reads lines, each a command or a question, until the user leaves.

1. Lines come from the user's `.dap-airc`, then the command line, then the prompt; never from the debuggee's folder.
2. Ctrl-C pauses the program or cancels the answer. A second Ctrl-C leaves the prompt if the first has had no effect
   yet.
3. At the end, as in gdb and pdb, a program that we started is ended, and a program that we attached to continues.
"""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from dap_ai.commands.debugging.breakpoint_commands import BreakpointCommands
from dap_ai.commands.debugging.command_words import SPELLINGS, WORDS
from dap_ai.commands.debugging.execute_command import execute
from dap_ai.commands.debugging.fixing import CannotApply, Fixing
from dap_ai.commands.debugging.line_parser import Nothing, ParsedCommand, Question, Unclear, names_in, parse, split
from dap_ai.commands.debugging.line_sources import PROMPT, Interrupted, Lines, LineSuspended
from dap_ai.commands.debugging.live_program import LiveProgram, ProgramNotStopped, ProgramOver
from dap_ai.commands.debugging.look_commands import LookCommands
from dap_ai.commands.debugging.move_commands import MoveCommands
from dap_ai.commands.debugging.prompt_state import PromptState
from dap_ai.commands.display.display import Display
from dap_ai.commands.running.signals import heard
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import ConnectionClosed

_APPLY = re.compile(r"apply(?:\s+(\d+))?")
_FIX = "What should be changed, and why?"
_PAUSE_S = 1.5
_WAITS = (
    "it waits outside of its own code (for input, a lock, a sleep), and pauses when that returns; Ctrl-C again leaves"
)
_FAILURES = (RequestFailed, TimeoutError, asyncio.TimeoutError)


Begin = Callable[[Sequence[str] | None], Awaitable[LiveProgram]]
"""A function that starts the program with the given arguments; None repeats the previous arguments.

The prompt calls it at the beginning and for each restart.
"""


class Leave(Exception):  # noqa: N818  a wish
    """Raised to leave the prompt. `detach`: leave the program running."""

    def __init__(self, *, detach: bool = False) -> None:
        super().__init__()
        self.detach = detach


class DebugPrompt:
    """The prompt of `dap-ai debug`. `waiting`: lines to run before the lines that the user types."""

    def __init__(self, begin: Begin, display: Display, waiting: Sequence[str]) -> None:
        self._begin = begin
        self._display = display
        self._waiting = list(waiting)
        self._lines: Lines | None = None
        self._last = ""
        self._fresh = True
        """Whether the program is held at its first line or has ended; if so, `r` means `run`."""
        self._busy = False
        self._pressed = False
        self._names: set[str] = set()

    async def run(self, lines: Callable[[Callable[[str], list[str]]], Lines]) -> int:
        """Run the prompt until the user leaves or a signal ends it; return the signal's number, or 0.

        `lines` makes the source of lines, given a completion function. If nothing can be debugged, raises
        RequestFailed, ConnectionClosed, TimeoutError, UsageError.
        """
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  a coroutine runs in a task
        ended_by: list[int] = []

        def end(number: int) -> None:
            if not ended_by:
                ended_by.append(number)
                task.cancel()

        detach = False
        with heard(lambda: self._interrupt(end), end, lambda: None):
            live = await self._begin(None)
            try:
                self._set_up(live)
                await self._arrive()
                self._lines = lines(self.completions)
                await self._loop()
            except Leave as leave:
                detach = leave.detach
            except asyncio.CancelledError:
                if not ended_by:
                    raise
            finally:
                if self._lines:
                    self._lines.close()
                await self._here.live.close(detach=detach)
        return ended_by[0] if ended_by else 0

    def _set_up(self, live: LiveProgram) -> None:
        self._here = here = PromptState(live, self._display, run_lines=self._run_lines)
        self._looking = LookCommands(here)
        self._setting = BreakpointCommands(here, self._looking)
        self._moving = MoveCommands(here, self._looking, self._setting)
        self._fixing = Fixing(here.say, self._confirmed)
        self._commands = self._table()

    def _table(self) -> dict[str, Callable[[ParsedCommand], Awaitable[None]]]:
        looking, moving, setting = self._looking, self._moving, self._setting
        own: dict[str, Callable[[ParsedCommand], Awaitable[None]]] = {
            "run": self._run,
            "restart": self._restart,
            "kill": self._kill,
            "quit": self._quit,
            "detach": self._quit,
        }
        asks = {"why": self._why, "fix": self._fix, "execute": partial(execute, self._here)}
        moves = {"continue": moving.go_on, "back-continue": moving.back_on}
        stops = {"break": setting.stop_at, "tbreak": setting.stop_once}
        table = {**own, **asks, **moves, **stops}
        for name in WORDS.keys() - table.keys():
            room = next(room for room in (looking, moving, setting) if hasattr(room, name))
            table[name] = getattr(room, name)
        return table

    async def _arrive(self) -> None:
        """Wait until the program is held, then show its place."""
        live = self._here.live
        live.on_news = self._news
        live.on_fixes = self._fixing.learn
        self._busy = True
        try:
            if live.target.begins_stopped:
                await live.settled()
        finally:
            self._busy = False
        await self._tell_end()
        await self._moving.show_stop()

    def _news(self) -> None:
        stop = self._here.live.stop
        if stop and "dapAiPast" not in stop:  # stepping back in time stays at the same failure
            self._fixing.forget()
        if not self._busy and self._lines:
            self._lines.give_way()

    async def _loop(self) -> None:
        while True:
            if self._here.live.stop is not self._moving.shown:
                await self._guarded(self._moving.show_stop())
            await self._tell_end()
            text = await self._next_line()
            if text is not None:
                parts = split(text)
                for part in parts:
                    if len(parts) > 1:  # several pasted lines: show each before its result
                        self._display.reply(PROMPT + part)
                    await self._do(part)

    async def _next_line(self) -> str | None:
        """Return the next line, or None if an event must be shown first. Raises Leave at the end of input."""
        if self._waiting:
            return self._waiting.pop(0)
        assert self._lines is not None  # noqa: S101  set before the loop
        self._display.prompting()
        await self._know_names()
        try:
            line = await self._lines.line()
        except Interrupted:
            self._display.status("q or Ctrl-D leaves")
            return None
        except LineSuspended:
            return None
        if line is None:
            raise Leave
        if not self._lines.echoes:
            self._display.reply(PROMPT + line)
        return line

    async def _do(self, text: str) -> None:
        said = parse(text, self._names, fresh=self._fresh)
        if isinstance(said, Nothing):
            said = parse(self._last, self._names, fresh=self._fresh) if said.again and self._last else said
        else:
            is_again = isinstance(said, ParsedCommand) and WORDS[said.name].repeats
            self._last = (
                (said.word if isinstance(said, ParsedCommand) and said.name == "list" else text) if is_again else ""
            )
        match said:
            case ParsedCommand():
                await self._guarded(self._commands[said.name](said))
            case Question(question):
                await self._guarded(self._ask(question))
            case Unclear(why):
                self._display.reply(why)
            case Nothing():
                pass

    async def _guarded(self, work: Awaitable[None]) -> None:
        """Run one command; if it fails, show the error and keep the prompt running."""
        self._busy, self._pressed, self._moving.interrupted = True, False, False
        try:
            await work
        except (ProgramOver, ProgramNotStopped) as why:
            self._display.reply(str(why))
        except _FAILURES as error:
            self._display.error(error.user_text if isinstance(error, RequestFailed) else "the debugger does not answer")
        except ConnectionClosed:
            self._display.error("the debug session has ended by itself")
        finally:
            self._busy = False
        self._fresh = self._here.live.over or (self._here.live.stop or {}).get("reason") == "entry"
        await self._tell_end()

    async def _tell_end(self) -> None:
        if self._here.live.over:
            await self._here.live.ended()

    def _interrupt(self, end: Callable[[int], None]) -> None:
        """Handle SIGINT: pause the program or cancel the answer.

        If the prompt is idle, discard the typed line. At start-up, or at a second SIGINT, end the prompt.
        """
        if not self._busy:
            if self._lines:
                self._lines.interrupted()
            else:
                end(signal.SIGINT)
        elif self._pressed:
            end(signal.SIGINT)
        else:
            self._pressed = self._moving.interrupted = True
            self._stopping = asyncio.ensure_future(self._pause())

    async def _pause(self) -> None:
        live = self._here.live
        try:
            if live.is_answering:
                self._display.status(live.target.on_cancel)
                await live.cancel()
            elif live.stop is None and not live.over:
                await live.interrupt()
                if not await live.settled(_PAUSE_S):
                    self._display.status(_WAITS)
        except _FAILURES as error:
            self._display.error(error.user_text if isinstance(error, RequestFailed) else "it cannot be paused")

    async def _ask(self, question: str) -> None:
        await self._here.live.answered(question)

    async def _why(self, command: ParsedCommand) -> None:
        await self._ask(command.text)

    async def _fix(self, command: ParsedCommand) -> None:
        """Ask for a fix, or write a proposed change to its file (`fix apply [N]`, N is 1-based)."""
        if not (found := _APPLY.fullmatch(command.text)):
            await self._ask(command.text or _FIX)
            return
        if not self._fixing:
            await self._ask(_FIX)
        try:
            await self._fixing.apply(int(found[1] or 1))
        except CannotApply as why:
            self._display.reply(str(why))

    async def _confirmed(self, question: str) -> bool:
        """Ask a yes-or-no question; return True only if the next line is `y` or `yes`."""
        self._display.status(question)
        self._busy = False
        try:
            while True:
                try:
                    line = self._waiting.pop(0) if self._waiting or not self._lines else await self._lines.line()
                except LineSuspended:
                    continue
                return (line or "").strip().casefold() in {"y", "yes"}
        except (Interrupted, IndexError):
            return False
        finally:
            self._busy = True

    async def _run(self, command: ParsedCommand) -> None:
        """Continue a program that is held at its first line; otherwise start the program again."""
        stop = self._here.live.stop
        if not (stop and stop["reason"] == "entry") or command.text:
            await self._restart(command)
        if self._here.live.stop:
            await self._moving.go_on(ParsedCommand("continue"))

    async def _restart(self, command: ParsedCommand) -> None:
        if not self._here.live.target.ours:
            self._display.reply("It was not started here, and cannot be started again.")
            return
        await self._here.live.close()
        self._here.live = await self._begin(command.text.split() or None)
        self._here.watches.clear()
        await self._setting.send(self._here.breakpoints.all)
        await self._arrive()

    async def _kill(self, _command: ParsedCommand) -> None:
        if not self._here.live.target.ours:
            self._display.reply("It was not started here: `q` leaves it as it is.")
        elif not self._here.live.over:
            await self._here.live.close()
            self._here.live.over = True

    async def _quit(self, command: ParsedCommand) -> None:
        raise Leave(detach=command.name == "detach")

    def _run_lines(self, lines: Sequence[str]) -> None:
        self._waiting[:0] = lines

    async def _know_names(self) -> None:
        """Collect the names in the current source file, which parsing and completion use."""
        try:
            source = await self._here.source()
        except (ProgramOver, ProgramNotStopped, *_FAILURES, ConnectionClosed):
            return
        self._names = names_in("\n".join(source[:20_000]))

    def completions(self, before: str) -> list[str]:
        """Return completions of the line `before`: commands for the first word, then the program's names."""
        first = before.split(" ", maxsplit=1)[0]
        if " " not in before.lstrip():
            return sorted({*SPELLINGS, *(self._names if len(first) > 1 else ())})
        if first in {"help", "h"}:
            return sorted(SPELLINGS)
        return sorted(self._names)

"""Commands of `dap-ai debug` that continue or step the program, and show where it stops."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from dap_ai.commands.debugging import listing, past_values
from dap_ai.commands.debugging.breakpoint_commands import BreakpointCommands
from dap_ai.commands.debugging.line_parser import ParsedCommand, place
from dap_ai.commands.debugging.look_commands import LookCommands
from dap_ai.commands.debugging.prompt_breakpoints import PromptBreakpoint
from dap_ai.commands.debugging.prompt_state import PromptState
from dap_ai.protocol.wire.errors import RequestFailed

_NO_BACK = (
    "No step back: this debugger keeps no past, and runs no copy again (of Python programs on Linux it does; recorded "
    "runs keep theirs). `restart` starts the program again."
)
_INTO = frozenset({"rs", "reverse-step"})
_SINGLE = frozenset({"si", "stepi", "ni", "nexti"})
_PLAIN_STOPS = frozenset({"step", "entry", "goto", "breakpoint", "function breakpoint", "data breakpoint", "pause"})
_BREAKPOINTS = frozenset({"breakpoint", "function breakpoint"})
_MANY_LINES = 100_000


class MoveCommands:
    """The commands of the prompt that move the program, one method per command.

    Each method returns when the program has stopped again. Raises RequestFailed, ProgramOver, ProgramNotStopped.
    """

    def __init__(self, here: PromptState, looking: LookCommands, setting: BreakpointCommands) -> None:
        self._here = here
        self._looking = looking
        self._setting = setting
        self.shown: Mapping[str, Any] | None = None
        """The stop that was shown last; None if the program has moved since."""
        self._place = ""
        """The file and function of the stop that was shown last."""
        self.interrupted = False
        """Whether the user has pressed Ctrl-C since the program was resumed."""

    async def next(self, command: ParsedCommand) -> None:
        """Step N lines, over calls (`next`); end early if something else stops the program."""
        await self._steps("next", command)

    async def step(self, command: ParsedCommand) -> None:
        """Step N lines, into calls (`step`); end early if something else stops the program."""
        await self._steps("stepIn", command)

    async def _steps(self, request: str, command: ParsedCommand) -> None:
        more: dict[str, Any] = {"granularity": "instruction"} if command.word in _SINGLE else {}
        await self._repeat(request, command.times, **more)

    async def _repeat(self, request: str, times: int, **more: Any) -> None:
        async for _ in self._stepping(request, times, **more):
            pass
        await self.show_stop()

    async def _stepping(self, request: str, times: int, **more: Any) -> AsyncGenerator[None]:
        """Step up to `times` times, yielding after each step.

        End early if the program stops for another reason than the step.
        """
        for _ in range(times):
            await self._go(request, **more)
            stop = self._here.live.stop
            if stop is None or stop["reason"] != "step" or self.interrupted:
                return
            yield

    async def finish(self, _command: ParsedCommand) -> None:
        """Continue until the function of the selected frame returns."""
        await self._repeat("stepOut", self._here.live.selected + 1)

    async def go_on(self, command: ParsedCommand) -> None:
        """Continue to the next stop; with `&`, return at once while the program runs."""
        if command.text and command.text != "&":
            self._here.say("continue takes nothing, or &.")
        elif any(not watch.data_id for watch in self._here.watches):
            await self._watching()
        else:
            await self._go("continue", wait=command.text != "&")
            await self.show_stop()

    async def until(self, command: ParsedCommand) -> None:
        """Continue to a later line of the function, or to its end; with an argument, to LINE."""
        if command.text:
            await self._to(command.text)
            return
        start, depth = self._here.line, len(await self._here.live.whole_stack())
        async for _ in self._stepping("next", _MANY_LINES):
            if self._here.line > start or len(await self._here.live.whole_stack()) < depth:
                break
        await self.show_stop()

    async def _to(self, text: str) -> None:
        """Continue to a place by a temporary breakpoint that is not listed.

        The program also stops at that place if the current function has returned before.
        """
        made = await self._setting.silent(text)
        if made is None:
            return
        try:
            await self._go("continue")
        finally:
            await self._setting.forget([made])
        await self.show_stop()

    async def jump(self, command: ParsedCommand) -> None:
        """Jump to another line without running the lines in between.

        Not every adapter supports this.
        """
        where = place(command.text)
        live = self._here.live
        if where is None or not where.line or not live.can("supportsGotoTargetsRequest"):
            self._here.say("j LINE" if live.can("supportsGotoTargetsRequest") else "This debugger cannot jump.")
            return
        wanted = {"source": {"path": where.file or self._here.file}, "line": where.line}
        targets = (await live.controls.request("gotoTargets", wanted)).get("targets", [])
        if not targets:
            self._here.say(f"nothing can be gone to in line {where.line}")
            return
        try:
            await self._go("goto", targetId=targets[0]["id"])
        except RequestFailed as error:
            self._here.say(error.user_text or f"no jump to line {where.line} from here: after `n` there may be one")
            return
        await self.show_stop()

    async def back(self, command: ParsedCommand) -> None:
        """Step back N lines, over calls; with gdb's spelling `reverse-step`, into calls."""
        for _ in range(command.times):
            if not await self._back("stepBack", dapAiInto=command.word in _INTO):
                return
        await self.show_stop()

    async def back_on(self, _command: ParsedCommand) -> None:
        """Continue backwards in time to the previous stop."""
        if await self._back("reverseContinue"):
            await self.show_stop()

    async def _back(self, request: str, **arguments: Any) -> bool:
        if not self._here.live.can("supportsStepBack"):
            self._here.say(_NO_BACK)
            return False
        await self._go(request, **arguments)
        return self._here.live.stop is not None

    async def interrupt(self, _command: ParsedCommand) -> None:
        """Pause a program that runs in the background."""
        if self._here.live.stop is None and not self._here.live.over:
            await self._here.live.interrupt()
            await self._here.live.settled()
        await self.show_stop()

    async def _watching(self) -> None:
        """Step line by line until a watched value changes; used without data breakpoints."""
        async for _ in self._stepping("stepIn", _MANY_LINES):
            if changes := await self._changes():
                self._here.say("\n".join(changes))
                break
        await self.show_stop()

    async def _changes(self, *, by_debugger: bool = False) -> list[str]:
        """Return one line for each watched value that has changed.

        A value that cannot be read here counts as unchanged.
        """
        told: list[str] = []
        for watch in self._here.watches:
            if bool(watch.data_id) != by_debugger:
                continue
            value = await self._looking.value(watch.expression)
            if not value.failed and value.text != watch.value:
                told.append(f"{watch.expression}: {watch.value} -> {value.text}")
                watch.value = value.text
        return told

    async def _go(self, request: str, *, wait: bool = True, **arguments: Any) -> None:
        """Resume the program and wait for its next stop; continue at breakpoints that the user ignores."""
        self.interrupted = False
        self._here.next_line = 0
        await self._here.live.resume(request, **arguments)
        while wait:
            await self._here.live.settled()
            if not await self._passes():
                return
            await self._here.live.resume("continue")

    async def _passes(self) -> bool:
        """Count a hit of each breakpoint at this stop; return whether the user ignores all of these hits."""
        hit = self._hit()
        for one in hit:
            one.hits += 1
        passed = [one for one in hit if one.passes > 0]
        for one in passed:
            one.passes -= 1
        return bool(hit) and len(passed) == len(hit)

    def _hit(self) -> list[PromptBreakpoint]:
        """Return the breakpoints at which the program has stopped.

        Returns an empty list while the prompt shows the past, because only a copy has stopped there.
        """
        live = self._here.live
        if live.stop is None or "dapAiPast" in live.stop:
            return []
        if live.stop["reason"] not in _BREAKPOINTS or not live.frames:
            return []
        frame = live.frames[0]
        ids = live.stop.get("hitBreakpointIds") or ()
        return self._here.breakpoints.hit(ids, listing.path_of(frame), frame["line"], str(frame["name"]))

    async def show_stop(self) -> None:
        """Show why and where the program has stopped; show nothing if it has ended."""
        live = self._here.live
        self.shown = live.stop
        if live.stop is None or not live.frames:
            return
        hit = self._hit()
        self._tell_reason(live.stop, [one for one in hit if not one.silent])
        if live.stop["reason"] == "data breakpoint":
            self._here.say("\n".join(await self._changes(by_debugger=True)))
        if once := [one for one in hit if one.once]:
            await self._setting.forget(once)
        where = listing.where(live.frames[0])
        if "dapAiPast" in live.stop:
            where += f"  [{past_values.WHERE if live.in_past else 'the present'}]"
        source = await self._here.source()
        line = listing.line_of(source, self._here.line)
        place_ = where.rpartition(":")[0] + where.partition(" in ")[2]
        is_same = self._place == place_ and live.stop["reason"] == "step"
        self._place = place_
        self._here.say(line if is_same and line else "\n".join(filter(None, [where, line])))
        await self._looking.show_displays()

    def _tell_reason(self, stop: Mapping[str, Any], hit: list[PromptBreakpoint]) -> None:
        if hit:
            self._here.note(f"breakpoint {', '.join(str(one.number) for one in hit)}")
        elif stop["reason"] not in _PLAIN_STOPS or stop["reason"] == "pause":
            self._here.display.stopped(dict(stop))

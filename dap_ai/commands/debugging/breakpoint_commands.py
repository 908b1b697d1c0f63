"""Commands of `dap-ai debug` that set, change and remove breakpoints and watches."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dap_ai.commands.debugging.line_parser import BreakpointPlace, ParsedCommand, place
from dap_ai.commands.debugging.listing import declared_at
from dap_ai.commands.debugging.live_program import ProgramNotStopped, ProgramOver
from dap_ai.commands.debugging.look_commands import LookCommands
from dap_ai.commands.debugging.prompt_breakpoints import PromptBreakpoint, answered, arguments, near
from dap_ai.commands.debugging.prompt_state import PromptState, WatchedExpression
from dap_ai.protocol.wire.errors import RequestFailed


class BreakpointCommands:
    """The commands of the prompt for breakpoints and watches, one method per command.

    If the debugger refuses a breakpoint, the breakpoint is removed again and the reason is shown.
    """

    def __init__(self, here: PromptState, looking: LookCommands) -> None:
        self._here = here
        self._looking = looking

    async def stop_at(self, command: ParsedCommand) -> None:
        """Set a breakpoint (`break`); without an argument, list all breakpoints."""
        if not command.text:
            await self._looking.info(ParsedCommand("info", "breakpoints"))
            return
        await self._add(command.text, once=False)

    async def stop_once(self, command: ParsedCommand) -> None:
        """Set a breakpoint that is removed after one stop (`tbreak`)."""
        await self._add(command.text, once=True)

    async def _add(self, text: str, *, once: bool) -> None:
        if made := await self._made(text, once=once):
            self._here.say(f"breakpoint {made.listing_line()}")
            file = self._file("")
            if made.name and file and not made.message and not declared_at(_lines(file), made.name):
                self._here.note(f"{near(file)} defines no {made.name}: it stops in any function of that name")

    async def silent(self, text: str) -> PromptBreakpoint | None:
        """Set and return a breakpoint that is not listed, for use by another command.

        If it cannot be set, show the reason and return None.
        """
        return await self._made(text, silent=True)

    async def _made(self, text: str, **more: bool) -> PromptBreakpoint | None:
        where = place(text)
        if self._here.live.target.unmoved:
            self._here.say(self._here.live.target.unmoved)
            return None
        if where is None:
            self._here.say("b FILE:LINE, LINE or FUNCTION, with `if CONDITION`")
            return None
        try:
            fields = await self._resolved(where)
        except ValueError as error:
            self._here.say(str(error))
            return None
        made = self._here.breakpoints.add(**fields, condition=where.condition, **more)
        try:
            await self.send([made])
        except RequestFailed as error:
            self._here.breakpoints.remove([made])
            self._here.say(error.user_text)
            return None
        return made

    async def _resolved(self, where: BreakpointPlace) -> dict[str, str | int]:
        """Return a place as fields of a PromptBreakpoint. Raises ValueError if the place does not exist."""
        file = self._file(where.file)
        if where.line:
            if not file:
                raise ValueError("There is no current file: b FILE:LINE.")
            self._check(file, where.line)
            return {"file": file, "line": where.line}
        if file and (line := self._here.live.target.first_line(where.name, _lines(file))):
            return {"file": file, "line": line, "name": ""}
        if where.file:
            raise ValueError(f"{near(file)} has no function {where.name}.")
        return {"name": where.name}

    def _file(self, named: str) -> str:
        """Return the absolute path of a file. Raises ValueError if it does not exist.

        `named` is its path, its name beside the current file, or its module name. If empty, return the current file, or
        an empty string if there is no current file.
        """
        try:
            current = self._here.file
        except (ProgramNotStopped, ProgramOver):
            current = ""
        if not named:
            return current
        for path in (Path(named), Path(current).parent / named, Path(f"{named}.py")):
            if path.is_file():
                return str(path.absolute())
        if Path(current).name == named:
            return current
        raise ValueError(f"There is no file {named}.")

    def _check(self, file: str, line: int) -> None:
        source = _lines(file)
        if source and not 1 <= line <= len(source):
            raise ValueError(f"{near(file)} has no line {line}: it ends at {len(source)}.")

    async def delete(self, command: ParsedCommand) -> None:
        """Remove breakpoints or watches (`delete`); without an argument, remove all of them.

        A breakpoint is named by its number or as FILE:LINE, a watch by its expression.
        """
        some: list[PromptBreakpoint] = list(self._here.breakpoints)
        watches = [one for one in self._here.watches if command.text in {"", one.expression}]
        await self._forget_watches(watches)
        if command.text:
            if watches:
                return
            some, unknown = self._here.breakpoints.numbered(command.text)
            where = place(command.text) if unknown else None
            if where and where.line and where.file:
                some, unknown = self._here.breakpoints.at(self._file(where.file), where.line), []
            if unknown:
                self._here.say(f"there is no breakpoint {', '.join(unknown)}")
        await self.forget(some)
        if some:
            self._here.say("\n".join(f"deleted {one.listing_line()}" for one in some))

    async def disable(self, command: ParsedCommand) -> None:
        """Disable breakpoints without removing them."""
        await self._switch(command.text, on=False)

    async def enable(self, command: ParsedCommand) -> None:
        """Enable breakpoints that were disabled."""
        await self._switch(command.text, on=True)

    async def _switch(self, text: str, *, on: bool) -> None:
        some = self._named(text)
        for one in some:
            one.enabled = on
        await self._changed(some)

    async def condition(self, command: ParsedCommand) -> None:
        """Set a breakpoint's condition (`condition N EXPRESSION`); without EXPRESSION, remove the condition."""
        number, _, condition = command.text.partition(" ")
        some = self._named(number)
        for one in some:
            one.condition = condition.strip()
        await self._changed(some)

    async def ignore(self, command: ParsedCommand) -> None:
        """Ignore the next COUNT hits of a breakpoint (`ignore N COUNT`)."""
        number, _, count = command.text.partition(" ")
        some = self._named(number)
        for one in some:
            one.passes = int(count) if count.strip().isdecimal() else 0
        self._here.say("\n".join(one.listing_line() for one in some))

    def _named(self, text: str) -> list[PromptBreakpoint]:
        some, unknown = self._here.breakpoints.numbered(text)
        if unknown or not some:
            self._here.say(f"there is no breakpoint {', '.join(unknown)}".rstrip())
        return some

    async def _changed(self, some: list[PromptBreakpoint]) -> None:
        if some:
            await self.send(some)
            self._here.say("\n".join(one.listing_line() for one in some))

    async def watch(self, command: ParsedCommand) -> None:
        """Stop when an expression's value changes.

        Sets a data breakpoint, at full speed. If the debugger cannot set one, the program is stepped line by line.
        """
        expression = command.text
        value = await self._looking.value(expression)
        if value.failed:
            self._here.say(value.text)
            return
        watch = WatchedExpression(expression, value.text, await self._data_id(expression))
        self._here.watches.append(watch)
        if watch.data_id and not await self._send_watches():
            watch.data_id = ""
        slow = "" if watch.data_id else ": line by line, which is slow; Ctrl-C pauses"
        self._here.say(f"watching {expression} = {value.text}{slow}")

    async def _data_id(self, expression: str) -> str:
        """Return the debugger's dataId for an expression; empty if it cannot set a data breakpoint there."""
        live = self._here.live
        if not live.can("supportsDataBreakpoints"):
            return ""
        frame = {"frameId": live.frame_id}
        try:
            scopes = (await live.controls.request("scopes", frame)).get("scopes", [])
            where = [{"name": expression, "variablesReference": scope["variablesReference"]} for scope in scopes[:2]]
            for place_ in (*where, {"name": f"&({expression})", **frame}):
                if data_id := (await live.controls.request("dataBreakpointInfo", place_)).get("dataId"):
                    return str(data_id)
        except RequestFailed:
            pass
        return ""

    async def _send_watches(self) -> bool:
        """Send all data breakpoints to the debugger; return whether it accepted all of them."""
        wanted = [{"dataId": one.data_id, "accessType": "write"} for one in self._here.watches if one.data_id]
        try:
            body = await self._here.live.controls.request("setDataBreakpoints", {"breakpoints": wanted})
        except RequestFailed:
            return False
        return all(answer.get("verified") for answer in body.get("breakpoints", ()))

    async def _forget_watches(self, some: Iterable[WatchedExpression]) -> None:
        gone = list(some)
        self._here.watches = [one for one in self._here.watches if one not in gone]
        if any(one.data_id for one in gone) and not self._here.live.over:
            await self._send_watches()

    async def forget(self, some: Iterable[PromptBreakpoint]) -> None:
        """Remove breakpoints from the list and from the debugger."""
        gone = list(some)
        self._here.breakpoints.remove(gone)
        await self.send(gone)

    async def send(self, some: Iterable[PromptBreakpoint]) -> None:
        """Send the breakpoints in `some` to the debugger. Raises RequestFailed.

        DAP replaces all breakpoints of a file, and all function breakpoints, at once, so all of these are sent.
        """
        changed = list(some)
        if self._here.live.over:
            return
        controls, all_ = self._here.live.controls, self._here.breakpoints
        for file in {one.file for one in changed if one.line}:
            wanted = all_.of_file(file)
            asked = {"source": {"path": file}, "breakpoints": arguments(wanted)}
            body = await controls.request("setBreakpoints", asked)
            answered(wanted, body.get("breakpoints", []))
        if any(not one.line for one in changed):
            wanted = all_.of_functions()
            answered(wanted, await controls.set_functions(arguments(wanted)))


def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []

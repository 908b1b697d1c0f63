"""Commands of `dap-ai debug` that read values, source, frames and threads, and change nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from dap_ai.agent.questions.history_questions import as_called
from dap_ai.commands.debugging import listing, past_values, tool_answers
from dap_ai.commands.debugging.command_words import INFO, explained, listed
from dap_ai.commands.debugging.line_parser import ParsedCommand, place
from dap_ai.commands.debugging.prompt_state import PromptState

_STACK_ROWS = 40
_FORMAT = re.compile(r"(?P<count>\d*)(?P<letters>[a-z]*)")
_SIZES = {"b": 1, "h": 2, "w": 4, "g": 8}
_NUMBERS = {"x": "{:#x}", "o": "{:#o}", "t": "{:#b}", "d": "{}", "u": "{}", "c": "{}"}
_PREFERRED = {"type": ("type", "info"), "names": ("variables",), "parts": ("variables", "info")}
"""Names of the agent's tools for each purpose, in order of preference.

The first tool that applies to the program's kind is used.
"""


class LookCommands:
    """The commands of the prompt that only read, one method per command.

    Methods raise RequestFailed, ProgramOver, ProgramNotStopped.
    """

    def __init__(self, here: PromptState) -> None:
        self._here = here

    async def help(self, command: ParsedCommand) -> None:
        """Show the help for all commands, or for the command that the argument names."""
        self._here.say(explained(command.text) if command.text else listed())

    async def print(self, command: ParsedCommand) -> None:
        """Show the value of an expression without changing the program.

        An expression that calls a function is evaluated in a copy of the program.
        """
        value = await self.value(command.text)
        text = _formatted(value.text, command.form)
        self._here.say("\n".join(filter(None, [text, value.more])))

    async def value(self, expression: str) -> tool_answers.ShownValue:
        """Return the value of an expression in the selected frame."""
        if self._here.live.in_past:
            return await past_values.value(self._here.live, expression)
        return tool_answers.value(await self._here.live.tool("evaluate", expression=expression))

    async def pretty(self, command: ParsedCommand) -> None:
        """Show a value's items or fields, one per line."""
        if self._here.live.in_past:
            self._here.say(await past_values.parts(self._here.live, command.text))
            return
        answer = await self._tool("parts", expression=command.text)
        if tool_answers.is_unread(answer):
            await self.print(command)
        else:
            self._here.say(tool_answers.plain(answer))

    async def whatis(self, command: ParsedCommand) -> None:
        """Show the type of an expression."""
        if self._here.live.in_past:
            self._here.say(await past_values.type_of(self._here.live, command.text))
            return
        self._here.say(tool_answers.plain(await self._tool("type", symbol=command.text)))

    async def source(self, command: ParsedCommand) -> None:
        """Show the source of a function or type.

        If the argument is an existing file, run the file's lines as commands, as gdb does.
        """
        if lines := _lines_of(command.text):
            self._here.run_lines(lines)
            return
        self._here.say(tool_answers.plain(await self._tool("type", symbol=command.text)))

    async def examine(self, command: ParsedCommand) -> None:
        """Show memory at an address.

        The debugger's own `x` command shows it in any format; without such a command, the bytes are shown.
        """
        live = self._here.live
        form = f"/{command.form}" if command.form else ""
        if command.form.endswith("i"):
            self._here.say(tool_answers.plain(await live.tool("disassemble", address=command.text)))
        elif line := live.target.console(f"x{form} {command.text}"):
            self._here.say(await live.evaluate(line))
        else:
            found = _FORMAT.fullmatch(command.form)
            size = next((_SIZES[letter] for letter in (found["letters"] if found else "") if letter in _SIZES), 4)
            count = size * int((found and found["count"]) or 1)
            self._here.say(tool_answers.plain(await live.tool("memory", address=command.text, count=count)))

    async def disassemble(self, command: ParsedCommand) -> None:
        """Show instructions around the current place, or at an address."""
        address = {"address": command.text} if command.text else {}
        self._here.say(tool_answers.plain(await self._here.live.tool("disassemble", **address)))

    async def args(self, _command: ParsedCommand) -> None:
        """Show the arguments of the current function."""
        if self._here.live.in_past:
            self._here.say(await past_values.names(self._here.live))
            return
        answer = await self._here.live.tool("frame")
        told = tool_answers.section(answer, "Arguments")
        self._here.say(told or tool_answers.section(answer, "Locals") or "no arguments")

    async def info(self, command: ParsedCommand) -> None:
        """Show a subject of gdb's `info`, such as `locals`; pass an unknown subject to the debugger's own `info`."""
        wanted, _, _rest = command.text.partition(" ")
        match INFO.get(wanted):
            case "locals" if self._here.live.in_past:
                self._here.say(await past_values.names(self._here.live))
            case "locals":
                self._here.say(tool_answers.plain(await self._tool("names")))
            case "args":
                await self.args(command)
            case "breakpoints":
                rows = [one.listing_line() for one in (*self._here.breakpoints, *self._here.watches)]
                self._here.say("\n".join(rows) or "none")
            case "frame":
                self._here.say(tool_answers.plain(await self._here.live.tool("frame")))
            case "source":
                self._here.say(listing.where(frame) if (frame := self._here.live.frame) else "no frame")
            case "display":
                displays = [f"{number}: {expression}" for number, expression in self._here.displays.items()]
                self._here.say("\n".join(displays) or "none")
            case "where":
                await self.where(command._replace(text=""))
            case "registers" | "threads" | "output" as tool:
                self._here.say(tool_answers.plain(await self._here.live.tool(tool)))
            case _ if line := self._here.live.target.console(f"info {command.text}"):
                self._here.say(await self._here.live.evaluate(line))
            case _:
                self._here.say(f"info tells of: {', '.join(dict.fromkeys(INFO.values()))}.")

    async def where(self, command: ParsedCommand) -> None:
        """Show the stack (`bt`), or its N innermost frames (`bt N`)."""
        limit = int(command.text) if command.text.isdecimal() else _STACK_ROWS
        frames = await self._here.live.whole_stack()
        self._here.say(listing.stack(frames, self._here.live.selected, limit))

    async def up(self, command: ParsedCommand) -> None:
        """Select the frame of the caller, or the frame N calls further out."""
        await self._select(self._here.live.selected + command.times)

    async def down(self, command: ParsedCommand) -> None:
        """Select the frame of the called function, or the frame N calls further in."""
        await self._select(self._here.live.selected - command.times)

    async def frame(self, command: ParsedCommand) -> None:
        """Show the selected frame, or select the frame with the given number."""
        await self._select(int(command.text) if command.text else self._here.live.selected)

    async def _select(self, number: int) -> None:
        live = self._here.live
        last = len(await live.whole_stack()) - 1
        live.selected = max(0, min(number, last))
        self._here.next_line = 0
        if number > last:
            self._here.note("the outermost frame")
        elif number < 0:
            self._here.note("the innermost frame")
        await self.show_place()

    async def show_place(self) -> None:
        """Show the file, line and function of the selected frame, with the source line."""
        frame = self._here.live.frame
        if frame is None:
            self._here.say("no frame")
            return
        number = f"#{self._here.live.selected} " if self._here.live.selected else ""
        source = await self._here.source()
        rows = [number + listing.where(frame), listing.line_of(source, self._here.line)]
        self._here.say("\n".join(filter(None, rows)))

    async def list(self, command: ParsedCommand) -> None:
        """Show eleven source lines; repeated without an argument, show the lines that follow."""
        source = await self._here.source()
        if not source:
            self._here.say("there is no source here; `disas` shows instructions of a native program")
            return
        first, last = self._range(command.text, source)
        self._show(source, first, last)
        self._here.next_line = last + 1
        if first > len(source):
            self._here.note("the end of the file")

    def _range(self, text: str, source: Sequence[str]) -> tuple[int, int]:
        numbers = [int(word) for word in re.findall(r"\d+", text)]
        if len(numbers) > 1:
            first, last = numbers[0], numbers[1]
            return first, last if last >= first else first + last
        if numbers:
            middle = numbers[0]
        elif text and text != "." and (named := place(text)) and named.name:
            middle = listing.declared_at(source, named.name) or self._here.line
        elif self._here.next_line and text != ".":
            return self._here.next_line, self._here.next_line + 2 * listing.AROUND
        else:
            middle = self._here.line
        return max(1, middle - listing.AROUND), max(1, middle - listing.AROUND) + 2 * listing.AROUND

    async def longlist(self, _command: ParsedCommand) -> None:
        """Show the source of the function around the current line."""
        source = await self._here.source()
        self._show(source, *listing.function_around(source, self._here.line))

    def _show(self, source: Sequence[str], first: int, last: int) -> None:
        stops = {one.line for one in self._here.breakpoints if one.file == self._here.file}
        self._here.say(listing.listed(source, first, last, self._here.line, stops))

    async def threads(self, _command: ParsedCommand) -> None:
        """Show all threads."""
        self._here.say(tool_answers.plain(await self._here.live.tool("threads")))

    async def thread(self, command: ParsedCommand) -> None:
        """Select another thread; without a number, show all threads."""
        words = command.text.split()
        if not words or not words[0].isdecimal():
            await self.threads(command)
        elif await self._here.live.go_to_thread(int(words[0])):
            self._here.next_line = 0
            await self.show_place()
        else:
            self._here.say(f"there is no thread {words[0]}; `threads` lists them")

    async def show_displays(self) -> None:
        """Show the values of all `display` expressions."""
        for number, expression in self._here.displays.items():
            self._here.say(f"{number}: {expression} = {(await self.value(expression)).text}")

    async def display(self, command: ParsedCommand) -> None:
        """Add an expression whose value is shown at each stop, and show all such values now."""
        if command.text:
            self._here.displays[max(self._here.displays, default=0) + 1] = command.text
        await self.show_displays()

    async def undisplay(self, command: ParsedCommand) -> None:
        """Remove a `display` expression by its number or text; without an argument, remove all."""
        for number, expression in list(self._here.displays.items()):
            if not command.text or command.text in {str(number), expression}:
                del self._here.displays[number]

    async def trace(self, command: ParsedCommand) -> None:
        """Run an expression in a copy of the program, and show each executed line."""
        self._here.say(tool_answers.plain(await self._here.live.tool("trace", expression=command.text)))

    async def history(self, command: ParsedCommand) -> None:
        """Show the values that an expression had over time (`history EXPRESSION [when CONDITION]`).

        With `when`, also show the first value for which the condition held.
        """
        asked = as_called(command.text)
        wanted = {"expression": asked.expression, "when": asked.when(asked.expression)}
        if asked.expression:
            self._here.say(tool_answers.plain(await self._here.live.tool("history", **wanted)))
        else:
            self._here.say("history EXPRESSION, or history EXPRESSION when CONDITION")

    async def slice(self, command: ParsedCommand) -> None:
        """Show the source lines that determined the value of an expression."""
        self._here.say(tool_answers.plain(await self._here.live.tool("slice", expression=command.text)))

    async def _tool(self, wanted: str, **arguments: str) -> str:
        answer = ""
        for name in _PREFERRED[wanted]:
            answer = await self._here.live.tool(name, **_spelt(name, arguments))
            if answer and not tool_answers.is_elsewhere(answer):
                break
        return answer


def _lines_of(name: str) -> list[str]:
    path = Path(name).expanduser()
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []


def _spelt(tool: str, arguments: Mapping[str, str]) -> Mapping[str, str]:
    """Return the tool's arguments, with the expression under the argument name that this tool uses."""
    wanted = next(iter(arguments.values()), "")
    return {"symbol" if tool in {"info", "type"} else "expression": wanted} if wanted else {}


def _formatted(text: str, form: str) -> str:
    """Format an integer in the base of gdb's `p/x`, `p/o` and so on; return other values unchanged."""
    pattern = _NUMBERS.get(form[-1:])
    if pattern and re.fullmatch(r"-?\d+", text):
        return pattern.format(int(text))
    return text

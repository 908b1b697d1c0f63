"""Separates dap-ai's options from the program's, and parses their values.

1. dap-ai's options may come before or after PROGRAM; any other argument after PROGRAM belongs to the program.
2. Everything after `--` belongs to the program, including PROGRAM itself if it has not been named yet.
3. Everything after `-m MODULE` belongs to the module, as with python itself.
4. After PROGRAM, `--help` belongs to the program too.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.commands.options.misplaced import misplaced, question_for_runner

_BREAKPOINT = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<condition>.+))?", re.DOTALL)


class BreakpointOption(msgspec.Struct, frozen=True):
    """A breakpoint from the command line.

    `file` is absolute; `line` is 1-based. With an empty `condition`, the program always stops.
    """

    file: str
    line: int
    condition: str = ""


def split(
    arguments: Sequence[str], options: Mapping[str, bool], optional: Container[str] = ()
) -> tuple[list[str], list[str]]:
    """Split the arguments into dap-ai's, and PROGRAM with its arguments.

    `options` maps each spelling of dap-ai's options to whether the option takes a value. An option in `optional` takes
    the next argument as its value only if that argument does not begin with a hyphen.
    """
    ours: list[str] = []
    program: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, has_value, _ = word.partition("=")
        if word == "--":
            return ours, program + rest
        if word == "-m" and not program:
            return [*ours, word, *rest[:1]], rest[1:]
        if word.startswith("--") and has_value and options.get(name):
            ours.append(word)
        elif word in options and not (program and word in {"-m", "-h", "--help"}):
            taken = rest[:1] if options[word] else []
            if word in optional and taken and taken[0].startswith("-"):
                taken = []
            ours += [word, *taken]
            rest = rest[len(taken) :]
        elif not program and word.startswith("-") and word != "-":
            ours.append(word)
        else:
            program.append(word)
    return ours, program


OPTIONAL = ("--join", "--kernel", "--post-mortem")
"""Options whose value may be omitted."""
_NOTES = "dap_ai.misplaced"
"""Key in click's `meta` for the notes about misplaced options."""


class SplitCommand(click.Command):
    """A click command whose last parameter is PROGRAM with all of its arguments."""

    programs_own: tuple[str, ...] = ()
    """Names of parameters whose options belong to the program when they follow PROGRAM."""

    def split(self, args: Sequence[str]) -> tuple[list[str], list[str]]:
        """Split the arguments into dap-ai's, and PROGRAM with its arguments."""
        return split(args, self._spellings(), OPTIONAL)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse dap-ai's arguments only.

        click alone might take an argument of the program as the missing value of an option.
        """
        ours, program = self.split(args)
        rest = super().parse_args(ctx, ours)
        ctx.params[self.params[-1].name or ""] = tuple(program)
        if module := ctx.params["module"]:
            options = self._spellings()
            if refused := question_for_runner(module, program, options):
                raise click.UsageError(refused, ctx)
            ctx.meta[_NOTES] = misplaced(module, program, options)
        return rest

    def _spellings(self) -> dict[str, bool]:
        """Map each spelling of dap-ai's options to whether the option takes a value."""
        with click.Context(self) as ctx:
            parameters = self.get_params(ctx)
        return {
            spelling: not (parameter.is_flag or parameter.count)
            for parameter in parameters
            if isinstance(parameter, click.Option) and parameter.name not in self.programs_own
            for spelling in (*parameter.opts, *parameter.secondary_opts)
        }


def misplaced_options() -> list[str]:
    """Return notes about dap-ai's options that the current command line passes to a module by mistake."""
    return click.get_current_context().meta.get(_NOTES, [])


def parse_question(_ctx: click.Context, _option: click.Parameter, texts: Sequence[str]) -> str:
    """Return the question, or an empty string if there is none. Raises BadParameter for several questions.

    click alone would keep only the last question.
    """
    if len(texts) > 1:
        raise click.BadParameter("only one question is possible. With --chat more can follow, one per line of stdin.")
    return "".join(texts)


def parse_breakpoints(_ctx: click.Context, _option: click.Parameter, texts: Sequence[str]) -> list[BreakpointOption]:
    """Parse each FILE:LINE[:CONDITION]. Raises BadParameter unless the file exists and has that line."""
    return [parse_breakpoint(text) for text in texts]


def parse_assignments(_ctx: click.Context, _option: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    """Parse each NAME=VALUE into a dict. Raises BadParameter if the name or the equals sign is missing."""
    parts = [text.partition("=") for text in texts]
    for text, (name, equals, _) in zip(texts, parts, strict=True):
        if not name or not equals:
            raise click.BadParameter(f"'{text}' is not NAME=VALUE.")
    return {name: value for name, _, value in parts}


def breakpoints_by_file(breakpoints: Sequence[BreakpointOption]) -> dict[str, list[dict[str, Any]]]:
    """Group breakpoints by file, because `setBreakpoints` replaces all breakpoints of a file."""
    by_file: dict[str, list[dict[str, Any]]] = {}
    for breakpoint_ in breakpoints:
        condition = {"condition": breakpoint_.condition} if breakpoint_.condition else {}
        by_file.setdefault(breakpoint_.file, []).append({"line": breakpoint_.line, **condition})
    return by_file


def parse_breakpoint(text: str, folder: Path | None = None) -> BreakpointOption:
    """Parse FILE:LINE[:CONDITION], with FILE relative to `folder`.

    Raises BadParameter unless the file exists and has that line.
    """
    found = _BREAKPOINT.fullmatch(text)
    if not found:
        raise click.BadParameter(f"'{text}' is not FILE:LINE or FILE:LINE:CONDITION.")
    file, line = (folder or Path()) / found["file"], int(found["line"])
    try:
        lines = file.read_bytes().count(b"\n") + 1
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror}.") from error
    if not 1 <= line <= lines:
        raise click.BadParameter(f"{file} has no line {line}.")
    return BreakpointOption(str(file.absolute()), line, found["condition"] or "")

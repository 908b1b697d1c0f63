"""Telling our options from the program's, and reading what they say. Pure.

1. Our options may stand before or after PROGRAM; what is not ours, after PROGRAM, is the program's.
2. Everything after `--` is the program's, PROGRAM itself included if it has not been named yet.
3. Everything after `-m MODULE` is the module's, as with python itself.
4. After PROGRAM, `--help` is the program's too.
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
    """Where to stop. `file` is absolute; `line` is 1-based; an empty condition always holds."""

    file: str
    line: int
    condition: str = ""


def split(
    arguments: Sequence[str], options: Mapping[str, bool], optional: Container[str] = ()
) -> tuple[list[str], list[str]]:
    """Our arguments, and PROGRAM with its own.

    `options` says for each spelling of our options whether it takes a value; one of `optional` takes none that begins
    with a hyphen.
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
"""Options that stand alone, too."""
_NOTES = "dap_ai.misplaced"
"""In click's `meta`."""


class SplitCommand(click.Command):
    """A command whose last parameter is PROGRAM and all that is the program's."""

    programs_own: tuple[str, ...] = ()
    """Parameters whose options are the program's after PROGRAM."""

    def split(self, args: Sequence[str]) -> tuple[list[str], list[str]]:
        """Our arguments, and PROGRAM with its own."""
        return split(args, self._spellings(), OPTIONAL)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hands click our arguments alone: it would take what follows for the value that an option lacks."""
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
        """Of our options, each with whether it takes a value."""
        with click.Context(self) as ctx:
            parameters = self.get_params(ctx)
        return {
            spelling: not (parameter.is_flag or parameter.count)
            for parameter in parameters
            if isinstance(parameter, click.Option) and parameter.name not in self.programs_own
            for spelling in (*parameter.opts, *parameter.secondary_opts)
        }


def misplaced_options() -> list[str]:
    """What is to be said of options that the command line of this very command gives to a module."""
    return click.get_current_context().meta.get(_NOTES, [])


def parse_question(_ctx: click.Context, _option: click.Parameter, texts: Sequence[str]) -> str:
    """The question, or "". Raises BadParameter for several, of which click would forget all but the last."""
    if len(texts) > 1:
        raise click.BadParameter("only one question is possible. With --chat more can follow, one per line of stdin.")
    return "".join(texts)


def parse_breakpoints(_ctx: click.Context, _option: click.Parameter, texts: Sequence[str]) -> list[BreakpointOption]:
    """Reads FILE:LINE[:CONDITION]. Raises BadParameter unless the file is there and has that line."""
    return [parse_breakpoint(text) for text in texts]


def parse_assignments(_ctx: click.Context, _option: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    """Reads NAME=VALUE. Raises BadParameter without a name or an equals sign."""
    parts = [text.partition("=") for text in texts]
    for text, (name, equals, _) in zip(texts, parts, strict=True):
        if not name or not equals:
            raise click.BadParameter(f"'{text}' is not NAME=VALUE.")
    return {name: value for name, _, value in parts}


def breakpoints_by_file(breakpoints: Sequence[BreakpointOption]) -> dict[str, list[dict[str, Any]]]:
    """The `breakpoints` of each file's `setBreakpoints`, which replaces a file's whole set."""
    by_file: dict[str, list[dict[str, Any]]] = {}
    for breakpoint_ in breakpoints:
        condition = {"condition": breakpoint_.condition} if breakpoint_.condition else {}
        by_file.setdefault(breakpoint_.file, []).append({"line": breakpoint_.line, **condition})
    return by_file


def parse_breakpoint(text: str, folder: Path | None = None) -> BreakpointOption:
    """Reads FILE:LINE[:CONDITION], FILE in `folder`. Raises BadParameter unless the file is there and has that line."""
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

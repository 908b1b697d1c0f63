"""The click command class of `dap-ai ask`: splits arguments, groups the help, reports usage errors as JSON."""

from __future__ import annotations

import sys
from typing import Any

import click

from dap_ai.commands.display.json_display import JsonLines
from dap_ai.commands.options.command_line import SplitCommand
from dap_ai.protocol.wire.safe import as_it_is

_SECTIONS = {
    "question": "What is asked, and where",
    "module": "What runs",
    "provider": "Who answers",
    "level": "What an answer may do",
    "record": "Recording a model",
    "verbose": "What is shown",
}
"""Section titles of the help, by the name of the first option in each section."""


class AskCommand(SplitCommand):
    """The click command of `dap-ai ask`; with `--json`, it also prints a usage error as a JSON line.

    After PROGRAM, `-v` and `--help` belong to the program, because many programs have these options.
    """

    programs_own = ("verbose",)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options to the help, grouped in sections."""
        sections: dict[str, list[tuple[str, str]]] = {}
        title = ""
        for parameter in self.get_params(ctx):
            title = _SECTIONS.get(parameter.name or "", title)
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                sections.setdefault(title, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments as click does; with `--json`, print a usage error as a JSON line too."""
        try:
            return super().make_context(info_name, list(args), parent, **extra)
        except click.UsageError as error:
            _tell(error, as_json="--json" in self.split(args)[0])
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command as click does; with `--json`, print a usage error as a JSON line too."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            _tell(error, as_json=ctx.params["json_lines"])
            raise


def _tell(error: click.UsageError, *, as_json: bool) -> None:
    if as_json:
        JsonLines(sys.stdout.buffer).error(as_it_is(error.format_message()))  # the user has just typed it

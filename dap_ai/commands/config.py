"""The command `dap-ai config`: print the settings in effect and their sources."""

from __future__ import annotations

import os

import click
import msgspec

from dap_ai.agent.providers.endpoint_errors import ModelEndpoint
from dap_ai.commands.display.command_output import say, say_json, warn
from dap_ai.commands.display.settings_table import print_table, resolve
from dap_ai.commands.options.provider_notice import notice_of
from dap_ai.settings import configuration

_HELP = """Print the settings in effect, and where each value comes from.

Later sources win: defaults, the workspace's [tool.dap-ai] in pyproject.toml (harmless keys only), your own file,
DAP_AI_* in the environment, flags, and dapAi* in an editor's launch arguments.
"""


@click.command(help=_HELP)
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def command(*, as_json: bool) -> None:
    """Prints every setting."""
    resolved = resolve({})
    values = msgspec.to_builtins(resolved.settings)
    values["base_url"] = ModelEndpoint(resolved.settings.base_url, "", "").shown
    answers = notice_of(resolved.settings, os.environ)
    if as_json:
        rows = {
            key: {
                "value": values[key],
                "source": resolved.sources[key],
                "description": configuration.describe(key),
                "allowed": configuration.allowed(key),
                "environment": configuration.environment_key(key),
                "launchArgument": configuration.launch_key(key),
            }
            for key in values
        }
        file = str(configuration.user_file(os.environ))
        say_json({"file": file, "settings": rows, "warnings": resolved.warnings, "answers": answers})
        return
    told = [(key, _text(values[key]), resolved.sources[key], configuration.describe(key)) for key in values]
    print_table(("setting", "value", "from", "what it is for"), told)
    say(f"\nWho answers: {answers}")
    say(f"Your own file: {configuration.user_file(os.environ)}")
    for warning in resolved.warnings:
        warn(warning)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  of whatever
    return str(value) or '""'

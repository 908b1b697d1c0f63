"""A group of commands whose modules are imported only when they are used, so that each starts quickly."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click


class LazyGroup(click.Group):
    """Its command NAME is `command` of the module `package.NAME`."""

    def __init__(self, *args: Any, package: str, modules: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._package = package
        self._modules = tuple(modules)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they were given."""
        del ctx
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports its module."""
        del ctx
        if cmd_name not in self._modules:
            return None
        return importlib.import_module(f"{self._package}.{cmd_name}").command

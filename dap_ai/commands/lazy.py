"""A click group that imports a command's module only when the command is used, so that each command starts quickly."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.metadata import EntryPoints, entry_points
from typing import Any

import click


class LazyGroup(click.Group):
    """A click group whose command NAME is the object `command` in module `package.NAME`.

    Entry points in `group` add further commands.
    """

    def __init__(self, *args: Any, package: str, modules: Sequence[str], group: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._package = package
        self._modules = tuple(modules)
        self._group = group

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules in the given order, then the names of the entry points, sorted."""
        del ctx
        return [*self._modules, *sorted(self._others().names)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module and return the command; None if there is no such command."""
        del ctx
        if cmd_name in self._modules:
            return importlib.import_module(f"{self._package}.{cmd_name}").command
        return next((point.load() for point in self._others().select(name=cmd_name)), None)

    def _others(self) -> EntryPoints:
        return entry_points(group=self._group) if self._group else EntryPoints()

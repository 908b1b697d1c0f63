"""Keeps pytest from taking an option's value for a test path, as in `--ask-json out.json`.

pytest finds its rootdir and settings before it loads plugins, so it takes `out.json` for a path. If that could change
the rootdir, the run starts again with `--ask-json=out.json`.
"""

from __future__ import annotations

import copy
import os
import shlex
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    Takes = Mapping[str, Callable[[str], bool]]
    """Maps each option to a function that decides whether the next argument is the option's value."""

_ADDOPTS = "PYTEST_ADDOPTS"
_NAME = "dap-ai-rootdir"
_CREATED = ("--ask-json",)
"""Options whose file this run creates, so that the file exists when xdist's workers start with the same arguments."""


def watch(pluginmanager: Any, takes: Takes) -> None:
    """Restarts the run if an option's value may have changed the rootdir. Call it from pytest_addoption."""
    config = pluginmanager.get_plugin("pytestconfig")
    given, added = list(config.invocation_params.args), shlex.split(os.environ.get(_ADDOPTS, ""))
    folder = config.invocation_params.dir
    pairs = [*_pairs(given, takes), *_pairs(added, takes)]
    if any(option in _CREATED or (folder / word.split("::")[0]).exists() for option, word in pairs):
        pluginmanager.register(_Anew(joined(given, takes), joined(added, takes)), _NAME)


def joined(args: Sequence[str], takes: Takes) -> list[str]:
    """Returns the arguments with `--option=value` in place of `--option value`."""
    found: list[str] = []
    for number, word in enumerate(args):
        if number and _is_value(args, number, takes):
            found[-1] += "=" + word
        else:
            found.append(word)
    return found


def _pairs(args: Sequence[str], takes: Takes) -> list[tuple[str, str]]:
    """Returns options with the values that follow them."""
    return [(args[number - 1], args[number]) for number in range(1, len(args)) if _is_value(args, number, takes)]


def _is_value(args: Sequence[str], number: int, takes: Takes) -> bool:
    option, word = args[number - 1], args[number]
    return option in takes and not word.startswith("-") and takes[option](word) and "--" not in args[:number]


class _Anew:
    """Pytest hooks of a run that only starts the actual run; it uses no arguments and loads no conftest."""

    def __init__(self, args: list[str], added: list[str]) -> None:
        self._args, self._added = args, added

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(
        self, early_config: Any, parser: Any, args: list[str]
    ) -> Generator[None, None, None]:
        """Clears the arguments before any other plugin uses them."""
        del args[:]
        early_config.known_args_namespace = parser.parse_known_args([], namespace=copy.copy(early_config.option))
        early_config.known_args_namespace.noconftest = True
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: Any) -> Any:
        """Runs pytest with the joined arguments and returns its exit code."""
        before = os.environ.get(_ADDOPTS)
        if before is not None:
            os.environ[_ADDOPTS] = shlex.join(self._added)
        try:
            return pytest.main(self._args, plugins=config.invocation_params.plugins)
        finally:
            if before is not None:
                os.environ[_ADDOPTS] = before

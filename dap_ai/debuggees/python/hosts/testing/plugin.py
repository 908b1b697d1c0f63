"""The pytest plugin's entry point: defines its options. If an option is given, the rest of the plugin is imported."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

SHORT, FULL, STOP = MODES = ("short", "full", "stop")
_PATCHES = (".patch", ".diff")
PATCH = "dap-ai.patch"
TIME_S = 2.0


def _is_mode(word: str) -> bool:
    return word in MODES


def _is_patch(word: str) -> bool:
    return word.endswith(_PATCHES)


def _is_any(_word: str) -> bool:
    return True


TAKES = {"--ask": _is_mode, "--ask-fix": _is_patch, "--ask-time": _is_any, "--ask-json": _is_any}
"""Maps each option to a function that decides whether the next argument is the option's value."""


class _Perhaps(argparse.Action):
    """An option with an optional value, such as `--ask=full`; in `--ask tests`, `tests` is a path, not the value."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, nargs="?", **more)

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        """Sets the option's value. A word that is not a valid value counts as a path of tests."""
        del parser, option_string
        if values is not None and values != self.const and not TAKES[self.option_strings[0]](values):
            left: list[str] = getattr(namespace, "_unrecognized_args", [])  # where argparse itself keeps them
            namespace._unrecognized_args = [*left, values]  # noqa: SLF001
            values = None
        setattr(namespace, self.dest, values or self.const)


def pytest_addoption(parser: pytest.Parser, pluginmanager: Any) -> None:
    """Adds the plugin's options, which `pytest --help` lists under dap-ai."""
    given = pluginmanager.get_plugin("pytestconfig").invocation_params.args
    if not TAKES.keys().isdisjoint([*given, *os.environ.get("PYTEST_ADDOPTS", "").split()]):
        from dap_ai.debuggees.python.hosts.testing import rootdir  # noqa: PLC0415  only if an option of the plugin is given

        rootdir.watch(pluginmanager, TAKES)
    group = parser.getgroup("dap-ai", "why did a test fail? (dap-ai)")
    group.addoption(
        "--ask",
        action=_Perhaps,
        const=SHORT,
        default=None,
        metavar="full|stop",
        help="tell with each failure why it failed, at most 15 lines; `full`: all that was found; `stop`: hold the "
        "process there, too, for an editor or a terminal to join",
    )
    group.addoption(
        "--ask-fix",
        action=_Perhaps,
        const=PATCH,
        default=None,
        metavar="FILE.patch",
        help=f"write the fixes that were verified to a patch ({PATCH}); nothing is changed. Implies --ask",
    )
    group.addoption(
        "--ask-time",
        type=float,
        default=None,
        metavar="SECONDS",
        help=f"so long an answer to one failure may take ({TIME_S:g}; up to twice that while the machine is busy)",
    )
    group.addoption(
        "--ask-json",
        default=None,
        metavar="FILE",
        help="write what was found as JSON, too, an object a line for each failure. Implies --ask",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Loads and registers the rest of the plugin if one of its options is given."""
    option = config.option
    if option.ask or option.ask_fix or option.ask_json:
        from dap_ai.debuggees.python.hosts.testing.apart import Library  # noqa: PLC0415  only if an option of the plugin is given

        Library().load("dap_ai.debuggees.python.hosts.testing.failure_hooks").register(config)

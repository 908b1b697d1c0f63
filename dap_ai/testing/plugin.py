"""The entry point: pytest's options. Whatever else the plugin is, it is imported only where one of them is given."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

SHORT, FULL, STOP = MODES = ("short", "full", "stop")
PATCH = "dap-ai.patch"
TIME_S = 2.0


class _Perhaps(argparse.Action):
    """`--ask` and `--ask=full`; of `--ask tests`, the second word is no value but a path, as if it stood alone."""

    def __init__(self, *args: Any, takes: Sequence[str], **more: Any) -> None:
        super().__init__(*args, nargs="?", **more)
        self._takes = takes

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        """Argparse does not tell `--ask=tests` from `--ask tests`: both are a path."""
        del parser, option_string
        if values is not None and values != self.const and not self._is_taken(values):
            left: list[str] = getattr(namespace, "_unrecognized_args", [])  # argparse's own place for them
            namespace._unrecognized_args = [*left, values]  # noqa: SLF001
            values = None
        setattr(namespace, self.dest, values or self.const)

    def _is_taken(self, value: str) -> bool:
        return value in self._takes or value.endswith(tuple(each for each in self._takes if each.startswith(".")))


def pytest_addoption(parser: pytest.Parser) -> None:
    """See `pytest --help`, under dap-ai."""
    group = parser.getgroup("dap-ai", "why did a test fail? (dap-ai)")
    group.addoption(
        "--ask",
        action=_Perhaps,
        takes=MODES,
        const=SHORT,
        default=None,
        metavar="full|stop",
        help="tell with each failure why it failed, at most 15 lines; `full`: all that was found; `stop`: hold the "
        "process there, too, for an editor or a terminal to join",
    )
    group.addoption(
        "--ask-fix",
        action=_Perhaps,
        takes=(".patch", ".diff"),
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
    """Nothing more where nobody asks."""
    option = config.option
    if option.ask or option.ask_fix or option.ask_json:
        from dap_ai.testing.apart import Library  # noqa: PLC0415  a run that does not ask pays nothing

        Library().load("dap_ai.testing.asking").register(config)

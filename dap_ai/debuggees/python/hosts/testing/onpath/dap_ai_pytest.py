"""The pytest plugin of `dap-ai pytest`.

It is the only module in this folder, which is on the path of the project's Python. pytest loads the module by name, in
its own process and in each worker of xdist. The plugin then loads modules of `dap_ai` by file path, so that packages
installed next to dap_ai cannot be imported here.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import sys
import sysconfig
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.abspath(os.path.join(_HERE, *[".."] * 5))
_LIBRARY = sysconfig.get_path("purelib")
_PYTHON = os.path.join("debuggees", "python")
_IN_PROCESS = ("system", *(os.path.join(_PYTHON, part) for part in ("hosts", "inspector", "snapshots")))
"""Folders of dap_ai whose modules may be imported in a test run."""
_NAME = "dap-ai"
"""The plugin's name, equal to the entry point's: pytest loads only one plugin of a name."""


def _modules() -> Iterator[tuple[str, tuple[str, str, bool]]]:
    """Yields (name, (file, file name to show, whether it is a package)) of each module that can be imported here."""
    above = [os.path.join(_PACKAGE, part) for part in ("", "debuggees", _PYTHON)]
    files = [os.path.join(folder, "__init__.py") for folder in above]
    for part in _IN_PROCESS:
        for folder, _, names in os.walk(os.path.join(_PACKAGE, part)):
            files += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    for file in files:
        place = os.path.relpath(file, os.path.dirname(_PACKAGE))
        words = place[: -len(".py")].split(os.sep)
        is_package = words[-1] == "__init__"
        name = ".".join(words[:-1] if is_package else words)
        yield name, (file, os.path.join(_LIBRARY, place), is_package)


class PluginFinder:
    """A finder for the modules of dap_ai that a test run needs.

    It calls no function of `os`, which tests may replace.
    """

    def __init__(self) -> None:
        self._modules = dict(_modules())

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        """Returns the spec of a dap_ai module, or None; a method of importlib.abc.MetaPathFinder."""
        del path, target
        if name not in self._modules:
            return None
        file, shown, is_package = self._modules[name]
        folders: list[str] | None = [] if is_package else None
        loader = PluginLoader(name, file, shown)
        return importlib.util.spec_from_file_location(name, shown, loader=loader, submodule_search_locations=folders)


class PluginLoader(importlib.machinery.SourceFileLoader):
    """Loads code under a file name inside this Python's library, so that coverage and similar tools skip the code."""

    def __init__(self, name: str, file: str, shown: str) -> None:
        super().__init__(name, file)
        self._shown = shown

    def get_code(self, fullname: str) -> CodeType | None:
        """Returns a module's code object with its file name replaced."""
        code = super().get_code(fullname)
        return code and _renamed(code, self._shown)


def _renamed(code: CodeType, file: str) -> CodeType:
    constants = [_renamed(each, file) if isinstance(each, type(code)) else each for each in code.co_consts]
    return code.replace(co_filename=file, co_consts=tuple(constants))


def _leave_path() -> None:
    """Removes this folder from PYTHONPATH and moves it to the end of `sys.path`, which xdist passes to its workers."""
    variable = os.environ.get("PYTHONPATH", "")
    if variable == _HERE:
        del os.environ["PYTHONPATH"]
    elif variable.endswith(os.pathsep + _HERE):
        os.environ["PYTHONPATH"] = variable[: -len(os.pathsep + _HERE)]
    if _HERE in sys.path:
        sys.path.remove(_HERE)
        sys.path.append(_HERE)


_leave_path()
_theirs = importlib.util.find_spec("dap_ai")
_IS_OURS = _theirs is None or _theirs.origin is None
"""Whether the project has no dap_ai package of its own; a folder named dap_ai without a package does not count."""
if _IS_OURS:
    sys.meta_path.insert(0, PluginFinder())  # type: ignore[arg-type]  its shape is enough
__file__ = os.path.join(_LIBRARY, os.path.basename(__file__))  # as Loader's


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Adds the options of `pytest --ask`, and the hidden option `--dap-ai-command`."""
    from dap_ai.debuggees.python.hosts.testing import plugin

    if not pluginmanager.is_registered(plugin):
        pluginmanager.register(plugin, _NAME)
    parser.addoption("--dap-ai-command", dest="dap_ai_command", default=None, help=argparse.SUPPRESS)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Clears `--dap-ai-command` if the project has its own dap_ai, which then starts the answering process."""
    if not _IS_OURS:
        config.option.dap_ai_command = None

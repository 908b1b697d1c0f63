"""The plugin as `dap-ai pytest` brings it: this folder is on the path of a project's Python, and holds nothing else.

pytest loads the module by name, in its own process and in each worker of xdist. `dap_ai` is then found by its place:
none of the packages that are installed beside it can be imported here.
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
"""Those of the folders of tests/unit/test_in_process.py that a test run needs."""
_NAME = "dap-ai"
"""That of the entry point: of plugins with one name, pytest loads one."""


def _modules() -> Iterator[tuple[str, tuple[str, str, bool]]]:
    """(name, (file, where it says that it is, whether it is a package)) of what can be imported here."""
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
    """Finds these modules; whatever else is asked for is not its business. A test may have replaced `os` by then."""

    def __init__(self) -> None:
        self._modules = dict(_modules())

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        """See importlib.abc.MetaPathFinder."""
        del path, target
        if name not in self._modules:
            return None
        file, shown, is_package = self._modules[name]
        folders: list[str] | None = [] if is_package else None
        loader = PluginLoader(name, file, shown)
        return importlib.util.spec_from_file_location(name, shown, loader=loader, submodule_search_locations=folders)


class PluginLoader(importlib.machinery.SourceFileLoader):
    """Code that names a place in the library of this Python: whoever leaves libraries out (coverage) leaves it out."""

    def __init__(self, name: str, file: str, shown: str) -> None:
        super().__init__(name, file)
        self._shown = shown

    def get_code(self, fullname: str) -> CodeType | None:
        """See importlib.abc.InspectLoader."""
        code = super().get_code(fullname)
        return code and _renamed(code, self._shown)


def _renamed(code: CodeType, file: str) -> CodeType:
    constants = [_renamed(each, file) if isinstance(each, type(code)) else each for each in code.co_consts]
    return code.replace(co_filename=file, co_consts=tuple(constants))


def _leave_path() -> None:
    """The environment and the order of `sys.path` become those of a run without us; xdist hands the latter on."""
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
"""Whether the project has no dap_ai of its own, which would answer by itself. A folder of that name alone is none."""
if _IS_OURS:
    sys.meta_path.insert(0, PluginFinder())  # type: ignore[arg-type]  its shape is enough
__file__ = os.path.join(_LIBRARY, os.path.basename(__file__))  # as Loader's


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """The options of `pytest --ask`, and one that is not for people."""
    from dap_ai.debuggees.python.hosts.testing import plugin

    if not pluginmanager.is_registered(plugin):
        pluginmanager.register(plugin, _NAME)
    parser.addoption("--dap-ai-command", dest="dap_ai_command", default=None, help=argparse.SUPPRESS)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """A dap_ai of the project's starts what it has brought."""
    if not _IS_OURS:
        config.option.dap_ai_command = None

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
    from collections.abc import Sequence
    from types import CodeType

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.dirname(os.path.dirname(_HERE))
_LIBRARY = sysconfig.get_path("purelib")
_NAME = "dap-ai"
"""That of the entry point: of plugins with one name, pytest loads one."""


class Finder:
    """Finds `dap_ai` and its modules by their place; whatever else is asked for is not its business."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        """See importlib.abc.MetaPathFinder."""
        del path, target
        first, *rest = name.split(".")
        if first != "dap_ai":
            return None
        place = os.path.join(_PACKAGE, *rest)
        is_package = os.path.isdir(place)
        file = os.path.join(place, "__init__.py") if is_package else place + ".py"
        if not os.path.isfile(file):
            return None
        shown = os.path.join(_LIBRARY, os.path.relpath(file, os.path.dirname(_PACKAGE)))
        found = Loader(name, file, shown)
        return importlib.util.spec_from_file_location(
            name, shown, loader=found, submodule_search_locations=[] if is_package else None
        )


class Loader(importlib.machinery.SourceFileLoader):
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
    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]  its shape is enough
__file__ = os.path.join(_LIBRARY, os.path.basename(__file__))  # as Loader's


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """The options of `pytest --ask`, and one that is not for people."""
    from dap_ai.testing import plugin

    if not pluginmanager.is_registered(plugin):
        pluginmanager.register(plugin, _NAME)
    parser.addoption("--dap-ai-command", dest="dap_ai_command", default=None, help=argparse.SUPPRESS)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """A dap_ai of the project's starts what it has brought."""
    if not _IS_OURS:
        config.option.dap_ai_command = None

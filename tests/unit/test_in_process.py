"""What runs in a user's process imports the standard library, its host and itself: nothing has to be installed there."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

FOLDERS = {
    "dap_ai/debuggees/runs/live/hook": (),
    "dap_ai/debuggees/runs/running/attached": ("debugpy",),
    "dap_ai/backends/debugpy/attaching/injected": ("debugpy", "pydevd", "_pydevd_bundle", "attach_script"),
    "dap_ai/debuggees/python/inspector": (),
    "dap_ai/debuggees/python/snapshots": (),
    "dap_ai/debuggees/python/endings/rank": (),
    "dap_ai/system": (),
    "dap_ai/debuggees/python/hosts": ("pytest",),
}
"""What lies in user's processes; with each, the packages of its host. Not yet so: hosts/notebook."""
TYPES_ONLY = "dap_ai.protocol.wire.safe"
"""The masker's types: no process needs them, only a type checker."""


def modules_of(folder):
    return sorted(file for file in (ROOT / folder).rglob("*.py") if "notebook" not in file.parts)


def package_of(file):
    """The dotted name that relative imports in it start from."""
    return list(file.parent.relative_to(ROOT).parts)


def imported(nodes, package) -> Iterator[str]:
    """The absolute names of all modules that these nodes import."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from package import module`: either may be meant, and both have to be allowed.
            yield from (module if is_file(module) else f"{module}.{alias.name}" for alias in node.names)


def is_file(module):
    return (ROOT / Path(*module.split("."))).with_suffix(".py").is_file() or not module.startswith("dap_ai")


def is_in_process(module):
    path = "/".join(module.split("."))
    return any(path == folder or path.startswith(folder + "/") for folder in FOLDERS)


def foreign(source, package, hosts=()):
    """What a source imports, anywhere in it, that a user's process need not have."""
    tree = ast.parse(source)
    for_types = {name for block in tree.body if is_for_types(block) for name in imported(ast.walk(block), package)}
    names = [*imported(ast.walk(tree), package)]
    for name in for_types & {TYPES_ONLY}:
        names.remove(name)
    allowed = sys.stdlib_module_names | set(hosts)
    return [name for name in names if name.partition(".")[0] not in allowed and not is_in_process(name)]


def at_import(source):
    """The statements that run whenever a module is imported."""
    for node in ast.parse(source).body:
        if not is_for_types(node):
            yield node


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@pytest.mark.parametrize("folder", FOLDERS)
def test_it_imports_the_standard_library_its_host_and_itself(folder):
    files = modules_of(folder)
    assert files
    found = {str(file): foreign(file.read_text("utf-8"), package_of(file), FOLDERS[folder]) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


def test_the_packages_above_it_import_nothing_else_before_they_are_used():
    above = {
        parent for folder in FOLDERS for parent in (ROOT / folder).parents if parent.is_relative_to(ROOT / "dap_ai")
    }
    for init in (folder / "__init__.py" for folder in above):
        if init.is_file():
            names = list(imported(at_import(init.read_text("utf-8")), package_of(init)))
            assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names, init


@pytest.mark.parametrize("folder", FOLDERS)
def test_its_syntax_is_that_of_python_3_8(folder):
    for file in modules_of(folder):
        ast.parse(file.read_text("utf-8"), file.name, feature_version=(3, 8))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import msgspec", ["msgspec"]),
        ("def late():\n    from rich.text import Text", ["rich.text"]),
        ("from dap_ai.settings import configuration as config", ["dap_ai.settings.configuration"]),
        ("from dap_ai.settings.configuration import Settings", ["dap_ai.settings.configuration"]),
        ("from ..settings.configuration import Settings", ["dap_ai.settings.configuration"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import click", ["click"]),
        ("import pytest", ["pytest"]),
        (
            "import json, os.path\nfrom dap_ai.debuggees.python.hosts import held\nfrom . import limits\nfrom .limits import slack",
            [],
        ),
    ],
)
def test_whatever_else_is_imported_is_found_wherever_it_stands(source, names):
    assert foreign(source, ["dap_ai", "system"]) == names

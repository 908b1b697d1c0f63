"""Replaces each function of the modules that dap_ai imports in a test's process; those that it calls are noted."""

import ast
import importlib
import importlib.util
import os
import re
import sys
import types
from pathlib import Path

import pytest
from stats import mean

MAIN, OUT = os.getpid(), Path(os.environ["OBSERVED"]).parent
PACKAGE = importlib.util.find_spec("dap_ai").submodule_search_locations[0]
"""Its folder: pytest itself may lie below another folder of that name."""
FOLDERS = ["system", "debuggees/python/hosts", "debuggees/python/inspector"]
BARE = re.compile("_getframe|exc_info|settrace|setprofile|^(locals|globals|vars|dir|super|exec|eval)$|^__")
"""What looks at the frame that calls it cannot be called for somebody else."""
NEEDED = "getattr hasattr isinstance issubclass len max min ord setattr sorted _iter_bits_lsb update_wrapper".split()
"""Without these no regular expression can be compiled, which the inspector does at each failure."""
NEEDED += ["_dlopen"]


def modules():
    import dap_ai

    for folder in FOLDERS:
        for file in (Path(dap_ai.__path__[0]) / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                    yield node.module


def names():
    found = {*modules(), "builtins", "os.path", "posix", "tokenize", "json.encoder", "json.decoder", "fcntl", "marshal"}
    found |= {"zlib", "binascii", "selectors", "socket", "warnings", "importlib", "pathlib"}
    return sorted(name for name in found if name.partition(".")[0] in sys.stdlib_module_names)


def is_ours(frame):
    while frame is not None:
        if frame.f_code.co_filename.startswith((PACKAGE + os.sep, "<dap_ai")):
            return True
        frame = frame.f_back
    return False


def noticing(name, function, reached, getpid=os.getpid, frame_of=sys._getframe):
    def replaced(*args, **options):
        if getpid() == MAIN and is_ours(frame_of(1)):
            reached.append(name)
            raise RuntimeError("replaced by the test: " + name)
        return function(*args, **options)

    return replaced


@pytest.fixture
def replaced(monkeypatch):
    reached, done = [], []
    for name in names():
        module = importlib.import_module(name)
        for key, x in list(vars(module).items()):
            if key in NEEDED or BARE.search(key):
                continue
            if isinstance(x, (types.FunctionType, types.BuiltinFunctionType)):
                monkeypatch.setattr(module, key, noticing(f"{name}.{key}", x, reached))
                done.append(f"{name}.{key}")
    yield
    monkeypatch.undo()
    (OUT / "replaced.txt").write_text("\n".join(done))
    (OUT / "reached.txt").write_text("\n".join(reached))


def test_mean(replaced):
    assert mean([1, 2, 3]) == 2

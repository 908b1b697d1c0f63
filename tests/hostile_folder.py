"""A folder as somebody else may have left it: whatever is imported or started from there leaves a mark."""

from __future__ import annotations

import sys
from importlib import metadata, util
from pathlib import Path

_MODULE = """\
import sys
with open({marks!r} + "/" + __name__, "a") as file:
    file.write(repr([sys.executable, *sys.argv]) + "\\n")
"""
_PROGRAM = """\
#!/bin/sh
echo "$0 $*" >> {marks!r}/program
exit 1
"""
# Not `uname`: debugpy has Python's `platform` start it, as PATH has it.
_PROGRAMS = (
    *("git", "gdb", "lldb-dap", "lldb-server", "cc", "gcc", "c++", "g++", "clang", "rustc", "clangd", "rust-analyzer"),
    *("python", "python3", "node", "basedpyright-langserver", "cat", "cp", "sh", "uv", ".venv/bin/python"),
)
_PLUGINS = ("uvloop", "orjson", "ujson", "simplejson", "chardet", "cchardet", "socks", "gnureadline", "brotli")
"""That libraries of ours import where they are there."""


class HostileFolder:
    """Shadows in `path` of every module that a Python here could import, and of programs that dap_ai starts."""

    def __init__(self, folder: Path) -> None:
        self.path, self._marks = folder / "opened", folder / "marks"
        self._marks.mkdir(parents=True)
        self.path.mkdir()
        text = _MODULE.format(marks=str(self._marks))
        for name in shadowed():
            place = self.path / name / "__init__.py" if name == "dap_ai" else self.path / f"{name}.py"
            place.parent.mkdir(exist_ok=True)
            place.write_text(text, encoding="utf-8")
        for name in _PROGRAMS:
            program = self.path / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(_PROGRAM.format(marks=str(self._marks)), encoding="utf-8")
            program.chmod(0o755)

    def marks(self) -> dict[str, str]:
        """What was imported or started since the last call, by whom."""
        found = {mark.name: mark.read_text(encoding="utf-8") for mark in sorted(self._marks.iterdir())}
        for name in found:
            (self._marks / name).unlink()
        return found


def shadowed() -> set[str]:
    """The top-level modules of this Python and of all that is installed in it; not what Python has built in."""
    installed = {name for name in metadata.packages_distributions() if name.isidentifier()}
    debugpy = util.find_spec("debugpy")
    vendored = Path(debugpy.submodule_search_locations[0], "_vendored", "pydevd") if debugpy else None
    ours = {place.stem for place in vendored.iterdir()} if vendored else set[str]()
    names = {*sys.stdlib_module_names, *installed, *ours, *_PLUGINS, "dap_ai", "sitecustomize", "usercustomize"}
    return {name for name in names if name.isidentifier()} - {*sys.builtin_module_names, "__main__"}

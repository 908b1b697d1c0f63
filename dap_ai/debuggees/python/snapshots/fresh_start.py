"""Reruns the program from its start in a copy: decides which modules are loaded again, and from which text.

An edit of functions is applied in memory (patching.py). Code outside functions runs only at import, so an edit of such
code needs a new import. A module whose import has not finished is also imported again. A copy cannot open any of the
user's files, so the modules that it may import are read before the copy is made.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import sys
import types
from typing import Any, Iterator, NamedTuple

from ..inspector.path_texts import path_bytes
from ..inspector.stored.statics import MISSING, module_namespace, names_of
from .blanking import blanked
from .editing.code_edits import CodeEdit, OutsideError
from .editing.sources import UnavailableError, UserFiles, compiled, parsed
from .isolation.foreign_paths import foreign_part
from .isolation.lookups import read_link
from .isolation.mounts import mounts
from .isolation.syscalls import read_file

_MAX_FILE_BYTES = 4 << 20
_MAX_BYTES = 32 << 20
_MAX_FRAMES = 1000
_CODEC = "utf-8-sig"
_done: set[tuple[str, int]] = set()
"""Names and ids of modules known to be fully imported, because checking hundreds of modules takes milliseconds."""


class _Module(NamedTuple):
    file: str
    text: str
    folders: list[str] | None
    """The search path of a package; None for a module that is not a package."""
    is_unfinished: bool


class FreshStart:
    """A rerun of the program from its start. Create it before the copy is made, and call `begin` in the copy.

    `edits`: edits of files other than the main file. `all_anew`: reload all of the user's modules, so that no state of
    the first run is left in them.
    """

    def __init__(self, edits: list[dict[str, Any]], frame: Any, *, all_anew: bool = False) -> None:
        self._edits = edits
        self._all_anew = all_anew
        self._modules: dict[str, _Module] = {}
        files, left = UserFiles(), _MAX_BYTES
        may_be_outside = all_anew or any(not edit.get("inside") for edit in edits)
        for name, names, is_unfinished in _known(frame, all_of_them=may_be_outside):
            if left > 0:
                found = _read(names, files, is_unfinished=is_unfinished)
                if found is not None:
                    self._modules[name] = found
                    left -= len(found.text)

    def begin(self, hidden: list[dict[str, str]]) -> list[dict[str, Any]]:
        """Prepares the imports of the rerun; returns the edits that must still be applied to functions in memory.

        Raises UnavailableError if an edited text does not compile.
        """
        is_outside = any([_is_outside(edit) for edit in self._edits])  # noqa: C419  each must be checked
        texts = {edit["file"]: edit["new"] for edit in self._edits} if is_outside else {}
        for file, text in texts.items():
            compiled(parsed(text, file), file)
        anew = {
            name: each for name, each in self._modules.items() if is_outside or self._all_anew or each.is_unfinished
        }
        missing = set(texts) - {each.file for each in anew.values()}
        if missing:
            raise UnavailableError("no module of the program was loaded from " + min(missing))
        for name in anew:
            _forget(name)
        if anew:
            given = {name: blanked(texts.get(each.file, each.text), hidden) for name, each in anew.items()}
            sys.meta_path.insert(0, _finder(anew, given))
        return [] if is_outside else self._edits


def _known(frame: Any, *, all_of_them: bool) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yields (name, namespace, whether its import is unfinished) of modules that are loaded or on the stack.

    A module whose import has failed is not in `sys.modules`, but may have a frame. Without `all_of_them`, only
    unfinished modules are yielded.
    """
    loaded, spec = dict(sys.modules.items()), _bootstrap("ModuleSpec")
    for name, module in loaded.items():
        if type(module) is types.ModuleType and type(name) is str and name != "__main__":
            key = name, id(module)
            if key in _done and not all_of_them:
                continue
            names = names_of(module_namespace(module))
            is_unfinished = _is_unfinished(names, spec)
            if not is_unfinished:
                _done.add(key)
            if is_unfinished or all_of_them:
                yield name, names, is_unfinished
    depth = 0
    while frame is not None and depth < _MAX_FRAMES:
        names = names_of(frame.f_globals)
        name = names.get("__name__")
        if type(name) is str and name != "__main__" and name not in loaded:
            yield name, names, True
        frame, depth = frame.f_back, depth + 1


def _is_outside(edit: dict[str, Any]) -> bool:
    try:
        CodeEdit(edit["file"], edit["old"], edit["new"])
    except OutsideError:
        return True
    return False


def _is_unfinished(names: dict[str, Any], kind: Any) -> bool:
    spec = names.get("__spec__")
    return type(spec) is kind and getattr(spec, "_initializing", False) is True


def _bootstrap(name: str) -> Any:
    return names_of(module_namespace(sys.modules["_frozen_importlib"])).get(name, MISSING)


def _read(names: dict[str, Any], files: UserFiles, *, is_unfinished: bool) -> _Module | None:
    """Reads the source of one of the user's modules; None if it cannot be read without waiting."""
    file, folders = names.get("__file__"), names.get("__path__")
    if type(file) is not str or not file.endswith(".py") or not files.has(file):
        return None
    path = path_bytes(file)
    if b"\0" in path or foreign_part(path, b"", mounts().foreign, read_link):
        return None
    try:
        text = read_file(path, _MAX_FILE_BYTES).decode(_CODEC)
    except (OSError, ValueError):
        return None
    kept = [each for each in folders if type(each) is str] if type(folders) is list else None
    return _Module(file, text, kept, is_unfinished)


def _forget(name: str) -> None:
    """Removes a module and its import lock, because the thread that holds the lock is not in the copy."""
    sys.modules.pop(name, None)
    locks = _bootstrap("_module_locks")
    if type(locks) is dict:
        locks.pop(name, None)


def _finder(modules: dict[str, _Module], texts: dict[str, str]) -> Any:
    """Returns an import finder that loads these modules from the source code in `texts`."""
    external: Any = sys.modules["_frozen_importlib_external"]

    class Loader(external.SourceFileLoader):
        def get_code(self, fullname: str) -> Any:
            file = modules[fullname].file
            return compiled(parsed(texts[fullname], file), file)

    class Finder:
        @staticmethod
        def find_spec(fullname: str, _path: Any = None, _target: Any = None) -> Any:
            module = modules.get(fullname)
            if module is None:
                return None
            loader = Loader(fullname, module.file)
            return external.spec_from_file_location(
                fullname, module.file, loader=loader, submodule_search_locations=module.folders
            )

    return Finder

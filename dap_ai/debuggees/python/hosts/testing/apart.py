"""Loads the plugin and its modules separately from the program's, so that names replaced by a test do not affect it.

`mock.patch`, pyfakefs, freezegun and pytest-socket replace names in the modules of `sys.modules`. The modules made here
are not in `sys.modules`, and do not use the modules in it:

1. Modules of dap_ai, and those of the standard library that call others by name (`_ANEW`), are executed again.
2. Names of any other module are copied: the plugin calls only its C code, or functions that call nothing a test
   replaces.
3. The builtins are copied as well.

The code executed again belongs to no file, so that coverage does not count it.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from types import BuiltinFunctionType, CodeType, ModuleType
from typing import Any, Mapping, Sequence

_OURS = __name__.partition(".")[0]
_ANEW = frozenset({
    "contextlib", "genericpath", "json", "json.decoder", "json.encoder", "json.scanner", "linecache", "os", "posixpath",
    "shutil", "subprocess", "tempfile", "tokenize",
})  # fmt: skip
_IN_C = {"signal": "_signal"}
"""Modules whose C module is used instead, such as `_signal` for `signal`."""
_LATER = ("tokenize",)
"""Modules that the modules in `_ANEW` import inside a function."""


class Library:
    """Makes separate copies of modules, one per name."""

    def __init__(self) -> None:
        package: Any = ModuleType(_OURS)
        package.__path__ = list(sys.modules[_OURS].__path__)
        self._made: dict[str, Any] = {_OURS: package}
        self._builtins = {**vars(builtins), "__import__": self._import}
        for name in _LATER:
            self.load(name)

    def load(self, name: str) -> Any:
        """Returns the separate copy of a module, made at the first call. Raises ImportError."""
        package, _, last = name.rpartition(".")
        above = self.load(package) if package else None
        if name not in self._made:  # its package may have imported it
            made = self._executed(name, above) if _is_anew(name) else _copied(name)
            self._made[name] = made
            if above is not None:
                setattr(above, last, made)
        return self._made[name]

    def _executed(self, name: str, above: Any) -> ModuleType:
        spec = _spec(name, above and above.__path__)
        module = ModuleType(name)
        vars(module).update(__builtins__=self._builtins, __file__=spec.origin, __package__=spec.parent)
        if spec.submodule_search_locations is not None:
            vars(module)["__path__"] = list(spec.submodule_search_locations)
        self._made[name] = module
        path = sys.modules["os.path"]
        exec(_renamed(spec.loader.get_code(name), f"<{name}, apart>"), vars(module))  # noqa: S102  to import is that
        sys.modules["os.path"] = path  # `os` registers its own module there
        return module

    def _import(
        self,
        name: str,
        names: Mapping[str, Any] | None = None,
        _locals: object = None,
        wanted: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Implements `import` inside the separate copies; the parameters are those of `builtins.__import__`."""
        if level:
            base = (names or {})["__package__"].rsplit(".", level - 1)[0]
            name = f"{base}.{name}" if name else base
        found = self.load(name)
        if not wanted:
            return self._made[name.partition(".")[0]]
        for each in wanted:
            if hasattr(found, "__path__") and not hasattr(found, each) and each != "*":
                self.load(f"{name}.{each}")
        return found


def _is_anew(name: str) -> bool:
    return name in _ANEW or name.partition(".")[0] == _OURS


def _spec(name: str, path: Sequence[str] | None) -> Any:
    """Returns the spec of the first finder whose loader can return code; pytest's assertion-rewriting loader cannot."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, path)
        if spec is not None and hasattr(spec.loader, "get_code"):
            return spec
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _copied(name: str) -> Any:
    """Returns a new module with the names of an imported module."""
    known = importlib.import_module(_IN_C.get(name, name))
    if type(known) is not ModuleType:
        return known
    copy = ModuleType(name)
    vars(copy).update(_living(vars(known)) if name == "sys" else vars(known))
    return copy


def _living(names: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the names for a copy of `sys`: copies functions and types; reads other names from `sys` at each use."""

    def now(name: str) -> Any:
        if name in names:
            return names[name]
        raise AttributeError(f"module 'sys' has no attribute {name!r}")

    kept = {name: x for name, x in names.items() if isinstance(x, (BuiltinFunctionType, type))}
    return {**kept, "__getattr__": now}


def _renamed(code: CodeType, file: str) -> CodeType:
    """Returns the code object with another file name, also in all nested code objects."""
    constants = tuple(_renamed(each, file) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=file, co_consts=constants)

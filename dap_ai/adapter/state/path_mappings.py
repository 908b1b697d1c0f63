"""Paths of a debuggee on another machine, or in a container: the client's `pathMappings`, in both directions. Pure.

The adapter maps what it says itself. What is read in the debuggee past it, by the walker and by copies, names files as
the debuggee does, and is named by the client's paths here before anybody reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import msgspec

from dap_ai.protocol.contracts.inspection import Inspection
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError

T = TypeVar("T")
_Rename = Callable[[str], str]

_WHERE_IT_STANDS = "."
"""As a `remoteRoot`: the debuggee's working directory, as debugpy has it."""


class Mapping(NamedTuple):
    """A folder of the client's and the debuggee's name for it."""

    local: str
    remote: str


class _Given(msgspec.Struct, rename="camel"):
    local_root: str = ""
    remote_root: str = ""


class _Start(msgspec.Struct, rename="camel"):
    path_mappings: list[_Given] = []


@dataclass
class PathMappings:
    """Of one session; empty: all paths are the same on both sides."""

    mappings: list[Mapping] = field(default_factory=list[Mapping])

    def begin(self, arguments: bytes) -> None:
        """The client launches or attaches with these arguments."""
        try:
            given = envelope.decode(arguments or b"{}", _Start).path_mappings
        except RemoteProtocolError:
            given = []
        self.mappings = [Mapping(g.local_root, g.remote_root) for g in given if g.local_root and g.remote_root]

    def remote(self, value: T) -> T:
        """A query with the debuggee's paths."""
        return _renamed(value, self._to_remote) if self.mappings else value

    def local(self, value: T) -> T:
        """What was read in the debuggee, with the client's paths."""
        if not self.mappings:
            return value
        if isinstance(value, Inspection) and value.cwd:
            self.mappings = [m._replace(remote=value.cwd) if m.remote == _WHERE_IT_STANDS else m for m in self.mappings]
        return _renamed(value, self._to_local)

    def _to_remote(self, path: str) -> str:
        return _moved(path, self.mappings)

    def _to_local(self, path: str) -> str:
        return _moved(path, [Mapping(m.remote, m.local) for m in self.mappings])


def _moved(path: str, mappings: list[Mapping]) -> str:
    """The path below the second folder of the longest mapping whose first folder holds it."""
    for folder, other in sorted(mappings, key=lambda mapping: -len(mapping[0])):
        root = folder.rstrip("/\\")
        rest = path[len(root) :]
        if path.startswith(root) and (not rest or rest[0] in "/\\"):
            return f"{other.rstrip('/' + chr(92))}{_separated(rest, other)}"
    return path


def _separated(rest: str, folder: str) -> str:
    return rest.replace("/", "\\") if "\\" in folder else rest.replace("\\", "/")


def _renamed(value: Any, rename: _Rename) -> Any:
    """The same with all files of its structs renamed: `file`, `cwd`, `folders` and the program of `argv`."""
    if isinstance(value, list):
        return [_renamed(each, rename) for each in value]  # pyright: ignore[reportUnknownVariableType]  of any contract
    if not isinstance(value, msgspec.Struct):
        return value
    changes: dict[str, Any] = {}
    for name in value.__struct_fields__:
        old = getattr(value, name)
        new = _new(name, old, rename)
        if new is not old:
            changes[name] = new
    return msgspec.structs.replace(value, **changes) if changes else value


def _new(name: str, old: Any, rename: _Rename) -> Any:
    match name:
        case "file" | "cwd":
            return rename(old) if isinstance(old, str) else old
        case "folders":
            return [rename(each) for each in old]
        case "argv":
            return [*map(rename, old[:1]), *old[1:]]
        case _:
            return _renamed(old, rename) if isinstance(old, list | msgspec.Struct) else old

"""Applies the client's `pathMappings` in both directions, for a program on another machine or in a container.

The debug adapter maps the paths in DAP messages. Queries and results of the inspector and of snapshots do not pass
through that mapping: this module replaces the client's paths in the queries, and the debuggee's paths in the results.
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

_WORKING_DIRECTORY = "."
"""The `remoteRoot` by which debugpy means the debugged program's working directory."""


class PathMapping(NamedTuple):
    """The paths of one folder on the client's and on the debuggee's machine."""

    local: str
    remote: str


class _Given(msgspec.Struct, rename="camel"):
    local_root: str = ""
    remote_root: str = ""


class _Start(msgspec.Struct, rename="camel"):
    path_mappings: list[_Given] = []


@dataclass
class PathMappings:
    """The path mappings of one session. Without mappings, client and debuggee use the same paths."""

    mappings: list[PathMapping] = field(default_factory=list[PathMapping])

    def begin(self, arguments: bytes) -> None:
        """Read the mappings from the arguments of the client's `launch` or `attach`."""
        try:
            given = envelope.decode(arguments or b"{}", _Start).path_mappings
        except RemoteProtocolError:
            given = []
        self.mappings = [PathMapping(g.local_root, g.remote_root) for g in given if g.local_root and g.remote_root]

    def remote(self, value: T) -> T:
        """Return a query in which the debuggee's paths replace the client's paths."""
        return _renamed(value, self._to_remote) if self.mappings else value

    def local(self, value: T) -> T:
        """Return a result in which the client's paths replace the debuggee's paths."""
        if not self.mappings:
            return value
        if isinstance(value, Inspection) and value.cwd:
            self.mappings = [
                m._replace(remote=value.cwd) if m.remote == _WORKING_DIRECTORY else m for m in self.mappings
            ]
        return _renamed(value, self._to_local)

    def _to_remote(self, path: str) -> str:
        return _moved(path, self.mappings)

    def _to_local(self, path: str) -> str:
        return _moved(path, [PathMapping(m.remote, m.local) for m in self.mappings])


def _moved(path: str, mappings: list[PathMapping]) -> str:
    """Return the path moved from the first to the second folder of its longest matching mapping."""
    for folder, other in sorted(mappings, key=lambda mapping: -len(mapping[0])):
        root = folder.rstrip("/\\")
        rest = path[len(root) :]
        if path.startswith(root) and (not rest or rest[0] in "/\\"):
            return f"{other.rstrip('/' + chr(92))}{_separated(rest, other)}"
    return path


def _separated(rest: str, folder: str) -> str:
    return rest.replace("/", "\\") if "\\" in folder else rest.replace("\\", "/")


def _renamed(value: Any, rename: _Rename) -> Any:
    """Return a copy of a value with renamed paths: the fields `file`, `cwd`, `folders` and the program in `argv`."""
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

"""Replaces `open` and functions of `os` by versions that keep files below the temporary folder in memory."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

import os
import sys
from typing import Any

from .private_files import EXISTS, IS_FOLDER, NO_ENTRY, NOT_EMPTY, Entries, Entry, PrivateTree, error
from .private_opening import mode_of, opener_of, raw_of

_PYTEST = "pytest-of-"


def keep_private() -> None:
    """Installs the replacements for file functions in a copy, before statements run there.

    Without them, as for an expression that the user enters, opening files for writing is refused. A program that
    already has a file system in memory (pyfakefs) keeps it.
    """
    if type(sys.modules["io"]) is not type(sys):
        return
    tree = PrivateTree(_temporary())
    given = {name: made for name, made in _functions(tree).items() if hasattr(os, name)}
    accessor = getattr(sys.modules.get("pathlib"), "_NormalAccessor", None)  # until Python 3.10
    plain: Any = vars(sys.modules["io"])["open"]
    opening = opener_of(tree, plain)
    is_whole = getattr(accessor, "open", None) is plain  # in 3.10; before, it is `os.open`
    _closing(getattr(sys.modules.get("tempfile"), "_TemporaryFileCloser", None), given["unlink"])
    for name, made in given.items():
        setattr(sys.modules["os"], name, made)
        if accessor is not None and hasattr(accessor, name):
            setattr(accessor, name, staticmethod(made))
    for module in ("io", "builtins"):
        setattr(sys.modules[module], "open", opening)  # noqa: B010  a module's
    if accessor is not None and is_whole:
        accessor.open = staticmethod(opening)
    shutil: Any = sys.modules.get("shutil")
    if shutil is not None:
        shutil.rmtree = _rmtree_of(tree, shutil.rmtree)


def _closing(kind: Any, unlink: Any) -> None:
    """Replaces the original `os.unlink` that `NamedTemporaryFile` has stored as a default argument."""
    for name in ("close", "cleanup"):
        method = getattr(kind, name, None)
        defaults = getattr(method, "__defaults__", None)
        if method is not None and defaults:
            method.__defaults__ = tuple([unlink if each is os.unlink else each for each in defaults])


def _temporary() -> str:
    known = getattr(sys.modules.get("tempfile"), "tempdir", None)
    folder = known if isinstance(known, str) else os.environ.get("TMPDIR") or "/tmp"  # noqa: S108  not made here
    return os.path.realpath(folder)


def _functions(tree: PrivateTree) -> dict[str, Any]:
    """Returns the replacements by their names in `os`."""
    return {**_looking(tree), **_changing(tree), **_of_descriptors(tree)}


def _looking(tree: PrivateTree) -> dict[str, Any]:
    def stat(path: str) -> Any:
        return tree.facts(tree.get(path)) if tree.is_ours(path) else None

    def access(path: str, *_: Any) -> Any:
        return path in tree.nodes if tree.is_ours(path) else None

    def names(path: str) -> Any:
        if path in tree.nodes or (tree.is_ours(path) and tree.get(path)):
            return tree.names(path)
        return tree.names(path) if _is_base(tree, path) else None

    def scandir(path: str) -> Any:
        found = names(path)
        return None if found is None else Entries([Entry(tree, path, name) for name in found])

    def listxattr(path: str, *_: Any) -> Any:
        return [] if tree.is_ours(path) and tree.get(path) else None

    made: dict[str, Any] = {"stat": stat, "lstat": stat, "access": access}
    made.update(listdir=names, scandir=scandir, listxattr=listxattr)
    return {name: _below(tree, name, function) for name, function in made.items()}


def _is_base(tree: PrivateTree, path: str) -> bool:
    """Whether the path is pytest's folder for `tmp_path` folders; only entries created by the copy are shown there."""
    parts = path[len(tree.root) + 1 :].split(os.sep)
    return len(parts) == 2 and parts[0].startswith(_PYTEST)


def _changing(tree: PrivateTree) -> dict[str, Any]:
    def mkdir(path: str, *_: Any, **__: Any) -> Any:
        anew = _is_base(tree, os.path.dirname(path))
        if path in tree.nodes or (not anew and not tree.is_ours(path) and tree.exists_outside(path)):
            raise error(EXISTS, path)
        return tree.add(path, None) and _DONE

    def unlink(path: str, *_: Any, **__: Any) -> Any:
        if not tree.is_ours(path):
            return None
        if tree.get(path).data is None:
            raise error(IS_FOLDER, path)
        del tree.nodes[path]
        return _DONE

    def rmdir(path: str, *_: Any, **__: Any) -> Any:
        if not tree.is_ours(path):
            return None
        if tree.get(path) and tree.names(path):
            raise error(NOT_EMPTY, path)
        del tree.nodes[path]
        return _DONE

    def rename(path: str, to: Any, *_: Any, **__: Any) -> Any:
        there = tree.path(to)
        if not tree.is_ours(path) or not there:
            return None
        node = tree.get(path)
        tree.add(there, node.data)
        for each in list(tree.below(path)):
            tree.nodes[there + each[len(path) :]] = tree.nodes.pop(each)
        return _DONE

    def nothing(path: str, *_: Any, **__: Any) -> Any:
        return _DONE if tree.is_ours(path) and tree.get(path) else None

    made: dict[str, Any] = {"mkdir": mkdir, "unlink": unlink, "remove": unlink, "rmdir": rmdir}
    made.update(rename=rename, replace=rename, chmod=nothing, utime=nothing)
    return {name: _below(tree, name, function) for name, function in made.items()}


_DONE = object()


def _below(tree: PrivateTree, name: str, made: Any) -> Any:
    """Wraps the function `name` of `os`.

    For paths below the tree's folder, the wrapper calls `made`. For other paths, or if `made` returns None, it calls
    the function of `os`.
    """
    plain = getattr(os, name)

    def call(path: Any = ".", *arguments: Any, **named: Any) -> Any:
        mine = "" if isinstance(path, int) or named.get("dir_fd") is not None else tree.path(path)
        found = made(mine, *arguments) if mine else None
        if found is None:
            return plain(path, *arguments, **named)
        return None if found is _DONE else found

    return call


def _of_descriptors(tree: PrivateTree) -> dict[str, Any]:
    plain_open, plain_close, plain_write, plain_read, plain_fstat = os.open, os.close, os.write, os.read, os.fstat

    def open_(path: Any, flags: int, mode: int = 0o777, *, dir_fd: Any = None) -> int:
        mine = tree.path(path) if dir_fd is None else ""
        raw = raw_of(tree, mine, path, mode_of(flags)) if mine and not flags & os.O_DIRECTORY else None
        return plain_open(path, flags, mode, dir_fd=dir_fd) if raw is None else tree.descriptor(raw)

    def close(fd: int) -> None:
        if fd not in tree.opened:
            plain_close(fd)

    def write(fd: int, data: Any) -> int:
        return tree.opened[fd].write(data) if fd in tree.opened else plain_write(fd, data)

    def read(fd: int, count: int) -> bytes:
        return tree.opened[fd].read(count) if fd in tree.opened else plain_read(fd, count)

    def fstat(fd: int) -> Any:
        return tree.opened[fd].facts() if fd in tree.opened else plain_fstat(fd)

    return {"open": open_, "close": close, "write": write, "read": read, "fstat": fstat}


def _rmtree_of(tree: PrivateTree, plain: Any) -> Any:
    def rmtree(path: Any, ignore_errors: bool = False, *arguments: Any, **named: Any) -> None:
        mine = tree.path(path)
        if not mine or not tree.is_ours(mine):
            plain(path, ignore_errors, *arguments, **named)
            return
        if mine not in tree.nodes and not ignore_errors:
            raise error(NO_ENTRY, mine)
        for each in list(tree.below(mine)):
            del tree.nodes[each]

    return rmtree

"""Runs a command that sees one directory in place of another, in a private mount namespace. Linux only.

Usage: SOURCE TARGET CWD [COMMAND...]. Without a command, the exit code tells whether the system permits the bind mount:
0 if so, else 125. User and group ids stay the same, and no program gains privileges.
"""

from __future__ import annotations

import ctypes
import os
import sys

REFUSED = 125
_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000


def main() -> None:
    """Mount SOURCE over TARGET, then replace this process by the command."""
    source, target, cwd, *command = sys.argv[1:]
    try:
        _apart()
        _mount(b"none", b"/", _RECURSIVE | _PRIVATE)
        _mount(os.fsencode(source), os.fsencode(target), _BIND | _RECURSIVE)
        os.chdir(cwd)
    except OSError as error:
        sys.stderr.write(f"{error.strerror or error}\n")
        sys.exit(REFUSED)
    if command:
        os.execvp(command[0], command)  # noqa: S606  the user's own command


def _apart() -> None:
    """Enter a private mount namespace, and a user namespace as well if this process lacks root's privileges."""
    if os.geteuid() == 0:
        try:
            return _unshare(_NEW_MOUNTS)
        except OSError:
            pass  # root without privileges, as in a container
    user, group = os.geteuid(), os.getegid()
    _unshare(_NEW_USERS | _NEW_MOUNTS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123  written as user_namespaces(7) requires
            file.write(text)
    return None


def _unshare(flags: int) -> None:
    if _libc().unshare(flags):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _mount(source: bytes, target: bytes, flags: int) -> None:
    if _libc().mount(source, target, None, ctypes.c_ulong(flags), None):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)

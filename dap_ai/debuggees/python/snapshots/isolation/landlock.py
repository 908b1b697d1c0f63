"""Landlock, a Linux access control: a snapshot can read the standard library, site-packages and named folders only.

landlock(7): a ruleset names the rights that it handles; each handled right that is not granted below a folder is
refused. So all rights of the kernel's version are handled, and two are granted. An older kernel refuses a right or a
size of the attributes that it does not know, so both follow from its ABI version. Neither a mount namespace nor chroot
is an option: a mount namespace needs a user namespace, in which files have other owners, and chroot needs a privilege.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import Any

from ...inspector.path_texts import file_name, folder_of, path_bytes
from .clone import trial
from .syscalls import AT_FDCWD, Arena, Step, attempt, path_pointer, read_file, step

_VERSION_FLAG, _PATH_BENEATH = 1, 1
_READ = 1 << 2 | 1 << 3  # READ_FILE, READ_DIR
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_ALL_FILE_RIGHTS = (1 << 16) - 1
_FOLDER = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_PATH", "O_DIRECTORY"))


def version() -> int:
    """Returns the kernel's Landlock ABI version; 0 without Landlock. Raises BusyError, OSError."""
    # The program's own filter may kill the process for an unknown call, such as Landlock's: then a copy tries
    # it.
    is_filtered = b"\nSeccomp:\t0" not in read_file(b"/proc/self/status")
    return max(0, (trial if is_filtered else attempt)("landlock_create_ruleset", 0, 0, _VERSION_FLAG))


def library_folders() -> list[bytes]:
    """Returns the folders of Python's own modules and of installed packages."""
    listed: Any = sys.path
    paths: list[Any] = list(listed) if type(listed) is list else []  # pyright: ignore[reportUnknownArgumentType]
    packages = [path for path in paths if file_name(path) in ("site-packages", "dist-packages")]
    return [path_bytes(folder) for folder in dict.fromkeys([folder_of(os.__file__), *packages])]


def _is_folder(path: bytes) -> bool:
    fd = attempt("openat", AT_FDCWD, path_pointer(path), _FOLDER)
    return fd >= 0 and attempt("close", fd) == 0


def restrict(abi: int, folders: list[bytes], arena: Arena) -> list[Step]:
    """Returns steps after which a copy can read only these folders, write no file and reach no socket.

    When the steps run, descriptors 0 to 2 must be open, and all others closed.
    """
    network, scope = 3 if abi >= 4 else 0, 3 if abi >= 6 else 0
    attributes = arena.put(struct.pack("=QQQ", _FILE_RIGHTS.get(abi, _ALL_FILE_RIGHTS), network, scope))
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    steps = [step("landlock_create_ruleset", attributes, size, 0, gives=3)]
    # The rule names a descriptor, not a path, and the steps are written before any descriptor exists: 4, because 0 to 2
    # are taken and 3 is the ruleset. O_PATH is enough for a rule, and needs no right to read the folder.
    rule = arena.put(struct.pack("=Qi", _READ, 4))
    for folder in filter(_is_folder, folders):
        steps += [
            step("openat", AT_FDCWD, arena.put(folder + b"\0"), _FOLDER, gives=4),
            step("landlock_add_rule", 3, _PATH_BENEATH, rule, 0),
            step("close", 4),
        ]
    return [*steps, step("landlock_restrict_self", 3, 0), step("close", 3)]

"""Reads which file systems are mounted, and which of them reveal lookups to another machine or process.

Each type of file system that is not in a list of local types counts as foreign. A list of remote types would be wrong
for each new type.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .syscalls import read_file

_IN_MEMORY = frozenset((b"tmpfs", b"devtmpfs", b"ramfs", b"rootfs"))
_ON_DISK = frozenset(
    b"""bcachefs btrfs cramfs ecryptfs erofs exfat ext2 ext3 ext4 f2fs hfs hfsplus iso9660 jffs2 jfs minix msdos nilfs2
    ntfs ntfs3 overlay reiserfs romfs squashfs sysv ubifs udf ufs vfat xfs zfs zonefs""".split()
)
_OF_THE_KERNEL = frozenset(
    b"""binfmt_misc bpf cgroup cgroup2 configfs cpuset debugfs devpts efivarfs fusectl hugetlbfs mqueue nsfs proc pstore
    resctrl securityfs selinuxfs smackfs sysfs tracefs""".split()
)
_LOCAL = _IN_MEMORY | _ON_DISK | _OF_THE_KERNEL
"""Local file system types; all others (nfs, cifs, 9p, fuse, autofs, unknown types) count as foreign."""

_ESCAPED = rb"\\([0-7]{3})"


class Mounts(NamedTuple):
    """The file systems of this process's mount namespace."""

    by_device: dict[tuple[int, int], bytes]
    """File system types by (major, minor) device numbers, as in /proc/self/maps."""
    by_folder: dict[bytes, bytes]
    """File system types by mount folder; if several are mounted on a folder, the last one, which paths reach."""
    foreign: dict[bytes, bytes]
    """Types of foreign file systems by mount folder, also of those that another mount covers."""

    def of_path(self, path: bytes) -> bytes:
        """Returns the file system type of an absolute path without links; b"" if unknown."""
        folder = path
        while folder.startswith(b"/"):
            found = self.by_folder.get(folder)
            if found is not None:
                return found
            folder = folder[: folder.rfind(b"/")] or (b"/" if folder != b"/" else b"")
        return b""


def is_in_memory(kind: bytes) -> bool:
    """Returns whether files of this type are in memory, where reading a hole of a file allocates memory."""
    return kind in _IN_MEMORY


def is_on_disk(kind: bytes) -> bool:
    """Returns whether files of this type are on a disk of this machine."""
    return kind in _ON_DISK


def parse(mountinfo: bytes) -> Mounts:
    """Parses the text of /proc/self/mountinfo."""
    by_device: dict[tuple[int, int], bytes] = {}
    folders: list[tuple[bytes, bytes]] = []
    for line in mountinfo.splitlines():
        # proc(5), /proc/pid/mountinfo: id, parent, major:minor, root, mount point, options, then any number of optional
        # fields, which a single "-" ends; the type follows it. Spaces in paths are octal escapes, so a split at spaces
        # is safe.
        fields = line.split(b" ")
        kind = fields[fields.index(b"-") + 1]
        major, minor = fields[2].split(b":")
        by_device[int(major), int(minor)] = kind
        folder = fields[4]
        folders.append((re.sub(_ESCAPED, _plain, folder) if b"\\" in folder else folder, kind))
    foreign = {folder: kind for folder, kind in folders if kind not in _LOCAL}
    # `dict` keeps the last of several mounts on one folder: mounts are listed in order, and the last covers the others.
    # `foreign` is built without that rule: one that is covered now may be uncovered, and is refused all the same.
    return Mounts(by_device, dict(folders), foreign)


def _plain(escape: re.Match[bytes]) -> bytes:
    return bytes((int(escape.group(1), 8),))


_last: list[tuple[bytes, Mounts]] = []


def mounts() -> Mounts:
    """Returns the current mounts. Raises OSError."""
    text = read_file(b"/proc/self/mountinfo")
    if not _last or _last[0][0] != text:
        _last[:] = [(text, parse(text))]
    return _last[0][1]

"""Describes the calls that a copy's restrictions refused, as text after "a copy may not", such as "read data.txt"."""

from __future__ import annotations

import struct
from typing import Iterator

from .syscalls import NUMBERS, attempt
from .trapping import MAY_READ, MAY_WRITE, MOST_RECORDS, RECORD_BYTES, REFUSED_BITS

_FIRST = 64
_NO_MEMORY, _NO_DESCRIPTOR = 12, 9  # ENOMEM, EBADF
_MORE_THAN_ANY = 1 << 46
"""More bytes than any process has; a request for so many would fail in the program as well."""
_GET_FLAGS = 1  # F_GETFD
_CLOSE = " (`close`)"
_CACHE = "__pycache__"
_STARTS = ("fork", "vfork", "clone", "clone3")
_NAMES = """
41 socket; 42 connect; 44 sendto; 45 recvfrom; 46 sendmsg; 47 recvmsg; 49 bind; 50 listen; 53 socketpair; 13
sigaction; 14 sigprocmask; 22 pipe; 293 pipe2; 33 dup2; 292 dup3; 34 pause; 37 alarm; 38 setitimer; 435
clone3; 57 fork; 58 vfork; 59 execve; 200 tkill; 234 tgkill; 73 flock; 74 fsync; 75 fdatasync; 76 truncate; 77
ftruncate; 80 chdir; 81 fchdir; 82 rename; 264 renameat; 316 renameat2; 83 mkdir; 258 mkdirat; 84 rmdir; 85
creat; 86 link; 265 linkat; 87 unlink; 263 unlinkat; 88 symlink; 266 symlinkat; 90 chmod; 91 fchmod; 268
fchmodat; 92 chown; 93 fchown; 95 umask; 101 ptrace; 105 setuid; 106 setgid; 109 setpgid; 112 setsid; 137
statfs; 138 fstatfs; 141 setpriority; 161 chroot; 213 epoll_create; 291 epoll_create1; 232 epoll_wait; 233
epoll_ctl; 254 inotify_add_watch; 294 inotify_init1; 280 utimensat; 283 timerfd_create; 290 eventfd2; 203
sched_setaffinity
"""
"""Numbers and names of calls on x86_64, in addition to those in syscalls.py.

Refusals are recorded only on x86_64.
"""
NAMES = {number: name for name, number in NUMBERS.items()}
NAMES.update((int(number), name) for number, name in map(str.split, _NAMES.split(";")))


def refusals(records: bytes, *, closing: bool) -> list[str]:
    """Returns descriptions of the refused calls in the order they occurred, each once.

    `closing`: include failures to close one of the program's descriptors, which have no effect when an object is freed.
    """
    count = min(struct.unpack_from("=Q", records)[0], MOST_RECORDS)
    found = filter(None, _each(records, count))
    return list(dict.fromkeys(each for each in found if closing or not each.endswith(_CLOSE)))


def _each(records: bytes, count: int) -> Iterator[str]:
    for at in range(_FIRST, _FIRST + count * RECORD_BYTES, RECORD_BYTES):
        number, bits, *arguments = struct.unpack_from("=II3Q", records, at)
        path = records[at + 32 : at + RECORD_BYTES].split(b"\0")[0].decode("utf-8", "backslashreplace")
        yield _words(NAMES.get(number, "system call %d" % number), bits, arguments, path)


def _words(name: str, bits: int, arguments: list[int], path: str) -> str:
    """Returns the description of a refused call.

    Empty if the program itself would be refused, or if its result does not depend on the call.
    """
    if bits & REFUSED_BITS == _NO_MEMORY:
        return "" if arguments[1] >= _MORE_THAN_ANY else "take more memory than it was given"
    if bits & REFUSED_BITS == _NO_DESCRIPTOR:
        fd = arguments[0] & 0xFFFFFFFF
        return "" if attempt("fcntl", fd, _GET_FLAGS) < 0 else "use the program's descriptor %d (`%s`)" % (fd, name)
    if _CACHE in path.split("/"):
        return ""
    if bits & MAY_READ:
        return "read " + path
    if bits & MAY_WRITE:
        return "write " + path
    if name in _STARTS:
        return "start a thread or a process"
    return "call `%s`%s" % (name, " (%s)" % path if path else "")

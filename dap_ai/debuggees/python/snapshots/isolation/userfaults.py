"""Detects memory whose pages a userfaultfd handler provides, because a copy would not get these pages.

A handler that waits for fork events and is stopped at the breakpoint would block the program forever.

userfaultfd(2): with UFFD_FEATURE_EVENT_FORK the kernel suspends a fork until the handler has read the event from its
descriptor. The handler is mostly a thread of the debuggee, which is stopped, so no copy is made. If another process
serves the memory, its features can't be read, and no copy is made either. Without the feature the copy's mappings are
not registered: a page that is missing reads as zeros there, which would be a wrong value, so served memory is unmapped
in the copy.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .syscalls import read_file

_FORK_EVENTS = 1 << 1
_FEATURES = rb"API:\t[0-9a-f]+:([0-9a-f]+):"
# proc(5), VmFlags of smaps: registered for missing pages, for write protection, for minor faults.
_SERVED = frozenset((b"um", b"uw", b"ui"))
_PART = rb"(?m)^(?:([0-9a-f]+)-([0-9a-f]+) .*|Swap: +(\d+) kB|VmFlags:(.*))$"


class MappedMemory(NamedTuple):
    """This process's mappings according to /proc/self/smaps, shared or not."""

    served: dict[int, int]
    """Sizes, by address, of the mappings whose pages a userfaultfd handler provides."""
    swapped: set[int]
    """Addresses of mappings that are partly swapped out."""


def memory(userfault_descriptors: list[int]) -> MappedMemory:
    """Returns the current mappings; takes milliseconds, more if more memory is in use.

    Raises OSError, also if no copy is possible.
    """
    found = parse(read_file(b"/proc/self/smaps"))
    if found.served and not userfault_descriptors:
        raise OSError("another process serves the program's memory by a userfaultfd")
    if found.served and any(map(_tells_of_forks, userfault_descriptors)):
        raise OSError("a userfaultfd of the program waits to be told of every copy")
    return found


def _tells_of_forks(fd: int) -> bool:
    features = re.search(_FEATURES, read_file(b"/proc/self/fdinfo/%d" % fd))
    return features is None or bool(int(features.group(1), 16) & _FORK_EVENTS)


def parse(smaps: bytes) -> MappedMemory:
    """Parses the text of /proc/self/smaps."""
    found = MappedMemory({}, set())
    start = size = 0
    for first, after, swapped, flags in re.findall(_PART, smaps):
        if first:
            start = int(first, 16)
            size = int(after, 16) - start
        elif swapped:
            found.swapped.update([start] if int(swapped) else [])
        elif not _SERVED.isdisjoint(flags.split()):
            found.served[start] = size
    return found

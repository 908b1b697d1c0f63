"""What is done with each kind of shared mapping; the steps are planned here, and made by tests/integration."""

from __future__ import annotations

import sys

import pytest

from dap_ai.debuggees.python.snapshots.isolation import mounts, private_memory, shared_mappings, userfaults
from dap_ai.debuggees.python.snapshots.isolation.shared_mappings import File, SharedMapping
from dap_ai.debuggees.python.snapshots.isolation.syscalls import Arena

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="snapshots are made on Linux")
READ, WRITE = 1, 2
AT, KEPT, MB = 0x7000_0000_0000, 0x7100_0000_0000, 1 << 20
INTERNAL, DISK, SHM, NFS = (0, 1), (8, 1), (0, 30), (0, 40)
COPIED = ["mmap", "pread64", "mremap", "mprotect"]
MOUNTS = mounts.Mounts({DISK: b"ext4", SHM: b"tmpfs", NFS: b"nfs4"}, {b"/": b"ext4"}, {})


class Machine:
    """What the kernel would say."""

    def __init__(self) -> None:
        self.found: list[SharedMapping] = []
        self.runs: list[tuple[int, int]] | None = None
        self.files: dict[int, File] = {}
        self.names: dict[bytes, list[int]] = {}
        self.at_path: File | None = None
        self.of_memory = userfaults.MappedMemory({}, set())

    def shared_mappings(self) -> list[SharedMapping]:
        kept = SharedMapping(KEPT, 1 << 19, READ | WRITE, b"/dev/zero (deleted)", device=INTERNAL)
        return [*self.found, kept]

    def open_files(self) -> dict[bytes, list[int]]:
        return self.names

    def userfault_descriptors(self) -> list[int]:
        return []

    def memory(self, _userfault: list[int]) -> userfaults.MappedMemory:
        return self.of_memory

    def pages_there(self, mapping: SharedMapping) -> list[tuple[int, int]]:
        return [(0, mapping.size)] if self.runs is None else self.runs

    def file_of(self, fd: int) -> File | None:
        return self.files.get(fd)

    def file_at(self, _path: bytes) -> File | None:
        return self.at_path

    def attempt(self, name: str, *_: int) -> int:
        return 0 if name == "fcntl" else 0x6000_0000_0000

    def call(self, name: str, *_: int) -> int:
        return 1 if name == "prctl" else 0

    def planned(
        self, *found: SharedMapping, useless: list[int] | None = None
    ) -> tuple[list[str], list[str], list[str]]:
        """The system calls that a copy would make about them, early and late, and what it would lack."""
        self.found = list(found)
        early, late, left_out = private_memory.make_private(KEPT, MOUNTS, Arena(4096), useless)
        names = [[name for name, _, _ in steps if name not in ("openat", "close")] for steps in (early, late)]
        return names[0], names[1], left_out


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    for name in [name for name in vars(Machine) if not name.startswith("_")]:
        if hasattr(private_memory, name):
            monkeypatch.setattr(private_memory, name, getattr(machine, name))
    return machine


def mapped(
    size: int = MB,
    rights: int = READ | WRITE,
    name: bytes = b"/dev/zero (deleted)",
    device: tuple[int, int] = INTERNAL,
) -> SharedMapping:
    return SharedMapping(AT, size, rights, name, device=device, inode=7)


def file(device: tuple[int, int], size: int = MB, allocated: int = MB, inode: int = 7) -> File:
    return File(device, inode, True, size, allocated)


@pytest.mark.parametrize("name", [b"/dev/nvidia0", b"/dev/nvidiactl", b"/dev/kfd", b"/dev/dri/renderD128"])
def test_no_copy_is_made_of_a_program_that_uses_a_gpu(machine: Machine, name: bytes) -> None:
    with pytest.raises(OSError, match="a GPU library is in use"):
        machine.planned(mapped(name=name))


def test_only_the_memory_of_the_answer_stays_shared(machine: Machine) -> None:
    assert machine.planned() == ([], [], [])


def test_shared_memory_is_copied_and_moved_to_its_place(machine: Machine) -> None:
    assert machine.planned(mapped()) == ([], COPIED, [])


def test_the_memory_that_another_copy_answers_in_is_taken_away_unread(machine: Machine) -> None:
    other = mapped()

    assert machine.planned(other, useless=[other.start]) == (["munmap"], [], [])


def test_only_the_pages_that_are_there_are_read(machine: Machine) -> None:
    machine.runs = [(0, 4096), (8192, 4096)]

    assert machine.planned(mapped(1 << 40)) == ([], ["mmap", "pread64", "pread64", "mremap", "mprotect"], [])


def test_shared_memory_without_a_page_is_not_read(machine: Machine) -> None:
    machine.runs = []

    assert machine.planned(mapped()) == ([], ["mmap", "mremap", "mprotect"], [])


@pytest.mark.parametrize(
    ("memory", "why"),
    [
        (userfaults.MappedMemory({AT: MB}, set()), "a userfaultfd serves it"),
        (userfaults.MappedMemory({}, {AT}), "a part of it is swapped out"),
    ],
)
def test_pages_that_are_somewhere_else_are_not_taken_for_empty(
    machine: Machine, memory: userfaults.MappedMemory, why: str
) -> None:
    machine.runs, machine.of_memory = [(0, 4096)], memory

    assert machine.planned(mapped()) == (["munmap"], [], [f"shared memory of 1 MB ({why})"])


def test_where_pages_are_is_not_believed_if_it_may_not_be_told(machine: Machine) -> None:
    block = mapped(rights=READ, name=b"/dev/shm/block", device=SHM)
    machine.names, machine.files = {b"/dev/shm/block": [5]}, {5: file(SHM, allocated=4096)}
    assert machine.planned(block)[0] == ["munmap"]

    machine.files = {5: file(SHM)}
    assert machine.planned(block) == ([], COPIED, [])


def test_a_large_block_is_mapped_again_but_for_its_holes(machine: Machine) -> None:
    machine.names, machine.files = {b"/dev/shm/block": [5]}, {5: file(SHM, 400 * MB, 300 * MB)}
    machine.runs = [(0, 100 * MB), (150 * MB, 200 * MB)]

    assert machine.planned(mapped(400 * MB, name=b"/dev/shm/block", device=SHM)) == (["mmap"] * 3, [], [])


@pytest.mark.parametrize("descriptor", [file((8, 2)), file(DISK, inode=8), file(DISK)._replace(is_regular=False), None])
def test_another_file_of_that_name_is_not_taken_for_it(machine: Machine, descriptor: File | None) -> None:
    machine.names = {b"/data": [5]}
    machine.files = {5: descriptor} if descriptor else {}
    machine.at_path = file(DISK, inode=9)

    assert machine.planned(mapped(name=b"/data", device=DISK)) == ([], COPIED, [])


def test_a_file_is_mapped_again_whatever_its_size(machine: Machine) -> None:
    data = mapped(1 << 40, name=b"/data", device=DISK)
    machine.names, machine.files = {b"/data": [5]}, {5: file(DISK)}
    assert machine.planned(data) == (["mmap"], [], [])

    machine.names, machine.at_path = {}, file(DISK)
    assert machine.planned(data) == ([], ["fstat", "memcmp", "mmap"], [])


@pytest.mark.parametrize(
    ("mapping", "why"),
    [
        (mapped(name=b"/dev/snd/pcm", device=(0, 6)), "a device"),
        (mapped(300 * MB), "too large to be copied"),
        (mapped(300 * MB, name=b"/data (deleted)", device=DISK), "too large to be copied"),
        (mapped(name=b"/mnt/data", device=NFS), "on no disk of this machine: nfs4"),
        (mapped(name=b"anon_inode:[io_uring]", device=(0, 15)), "on no disk of this machine: unknown"),
    ],
)
def test_what_cannot_be_copied_is_unmapped_and_told(machine: Machine, mapping: SharedMapping, why: str) -> None:
    early, late, left_out = machine.planned(mapping)

    assert (early, late, [each.partition("(")[2].rpartition(")")[0].endswith(why) for each in left_out]) == (
        ["munmap"],
        [],
        [True],
    )


def test_what_the_program_cannot_read_is_unmapped(machine: Machine) -> None:
    assert machine.planned(mapped(rights=0)) == (["munmap"], [], [])


def test_shared_mappings_are_read_from_the_text_where_the_kernel_cannot_be_asked() -> None:
    maps = b"7f00-7f10 rw-p 0 00:00 0 \n7f10-7f30 rw-s 30 00:01 7   /dev/shm/a b\n7f40-7f50 r--s 0 fe:1a 9 /file\n"

    assert shared_mappings.parse(maps) == [
        SharedMapping(0x7F10, 0x20, 3, b"/dev/shm/a b", 0x30, (0, 1), 7),
        SharedMapping(0x7F40, 0x10, 1, b"/file", 0, (0xFE, 0x1A), 9),
    ]


def test_what_is_served_or_swapped_is_read_from_the_text() -> None:
    smaps = b"""\
7f10-7f30 rw-s 00000000 00:01 7      /dev/zero (deleted)
Size:                200 kB
Swap:                  8 kB
SwapPss:               8 kB
VmFlags: rd wr sh mr mw me ms sd
7f40-7f60 rw-p 00000000 00:00 0
Swap:                  0 kB
VmFlags: rd wr mr mw me um ac sd
7f70-7f80 rw-p 00000000 00:00 0
Swap:                  0 kB
VmFlags: rd wr mr mw me ac uw
"""
    assert userfaults.parse(smaps) == userfaults.MappedMemory({0x7F40: 0x20, 0x7F70: 0x10}, {0x7F10})


def test_file_systems_are_read_from_the_text() -> None:
    mountinfo = b"""\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
31 27 0:40 / /mnt/a\\040b rw master:3 propagate_from:2 - fuse.sshfs me@there:/ rw,user_id=0
32 27 0:41 / /mnt/c rw - nfs4 there:/ rw
33 32 0:42 / /mnt/c rw - tmpfs tmpfs rw
34 27 0:43 / /mnt/d rw - new-kind none rw
"""
    found = mounts.parse(mountinfo)

    assert found.foreign == {b"/mnt/a b": b"fuse.sshfs", b"/mnt/c": b"nfs4", b"/mnt/d": b"new-kind"}
    assert [found.of_path(path) for path in (b"/x", b"/mnt/c/x", b"/mnt/cx", b"/mnt/a b", b"none", b"")] == [
        b"ext4",
        b"tmpfs",
        b"ext4",
        b"fuse.sshfs",
        b"",
        b"",
    ]
    assert found.by_device[254, 0] == b"ext4"

"""What is done with each kind of shared mapping; the steps are planned here, and made by tests/integration."""

from __future__ import annotations

import sys

import pytest

from dap_ai.backends.debugpy.inject import sharing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="snapshots are made on Linux")
READ, WRITE = 1, 2
AT, KEPT = 0x7000_0000_0000, 0x7100_0000_0000


def planned(monkeypatch: pytest.MonkeyPatch, *mappings: tuple[int, int, int, bytes]) -> list[str]:
    """The system calls that a copy would make about them."""
    monkeypatch.setattr(sharing, "_shared_mappings", lambda: list(mappings))
    return [name for name, _, _ in sharing.make_private(KEPT)]


@pytest.mark.parametrize("name", [b"/dev/nvidia0", b"/dev/nvidiactl", b"/dev/kfd", b"/dev/dri/renderD128"])
def test_no_copy_is_made_of_a_program_that_uses_a_gpu(monkeypatch: pytest.MonkeyPatch, name: bytes) -> None:
    with pytest.raises(OSError, match="a GPU library is in use"):
        planned(monkeypatch, (AT, 4096, READ | WRITE, name))


def test_shared_memory_is_copied_and_moved_to_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = planned(monkeypatch, (AT, 4096, READ | WRITE, b"/dev/zero (deleted)"))
    assert steps == ["openat", "mmap", "pread64", "mremap", "mprotect", "close"]


@pytest.mark.parametrize(
    ("size", "rights", "name"),
    [(4096, READ | WRITE, b"/dev/snd/pcm"), (4096, 0, b""), (300 << 20, READ | WRITE, b"/dev/shm/large")],
    ids=["a device", "unreadable", "too large"],
)
def test_what_cannot_be_copied_is_unmapped(
    monkeypatch: pytest.MonkeyPatch, size: int, rights: int, name: bytes
) -> None:
    assert planned(monkeypatch, (AT, size, rights, name)) == ["munmap"]


def test_only_the_memory_of_the_answer_stays_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    assert planned(monkeypatch, (KEPT, 1 << 19, READ | WRITE, b"")) == []


def test_shared_mappings_are_read_from_the_text_where_the_kernel_cannot_be_asked() -> None:
    maps = b"7f00-7f10 rw-p 0 00:00 0 \n7f10-7f30 rw-s 0 00:01 7 /dev/shm/a b\n7f40-7f50 r--s 0 08:01 9 /file\n"
    found = sharing._parse(maps)  # pyright: ignore[reportPrivateUsage]  newer kernels are asked in another way
    assert found == [(0x7F10, 0x20, 3, b"/dev/shm/a b"), (0x7F40, 0x10, 1, b"/file")]

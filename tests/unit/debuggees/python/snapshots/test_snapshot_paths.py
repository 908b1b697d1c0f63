from __future__ import annotations

import pytest

from dap_ai.debuggees.python.snapshots.isolation.foreign_paths import foreign_part

FOREIGN = {b"/mnt/far": b"nfs4", b"/home/me/cloud": b"fuse.cloud"}
LINKS = {
    b"/lib": b"usr/lib",
    b"/far": b"/mnt/far/deep",
    b"/home/me/here": b"../../mnt",
    b"/home/me/endless": b"endless",
    b"/proc/self": b"123",
    b"/proc/123/cwd": b"/home",
    b"/proc/123/fd/7": b"socket:[1]",
}


def leaves_at(path: bytes, base: bytes = b"/home/me", foreign: dict[bytes, bytes] = FOREIGN) -> bytes:
    looked_at: list[bytes] = []

    def links(path: bytes) -> bytes:
        looked_at.append(path)
        return LINKS.get(path, b"")

    found = foreign_part(path, base, foreign, links)
    assert not any(path == folder or path.startswith(folder + b"/") for path in looked_at for folder in foreign)
    return found


@pytest.mark.parametrize(
    "path",
    [
        b"/etc/passwd",
        b"",
        b".",
        b"..",
        b"/",
        b"/mnt",
        b"/mnt/farther",
        b"x/../y",
        b"/../..",
        b"/lib/x",
        b"/proc/self/maps",
    ],
)
def test_a_path_of_local_file_systems_stays_there(path: bytes) -> None:
    assert leaves_at(path) == b""


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        (b"/mnt/far", b"/mnt/far"),
        (b"/mnt/far/", b"/mnt/far"),
        (b"/mnt//./far/secret", b"/mnt/far"),
        (b"/mnt/far/../near", b"/mnt/far"),
        (b"cloud/secret", b"/home/me/cloud"),
        (b"../me/cloud/secret", b"/home/me/cloud"),
        (b"/far", b"/mnt/far"),
        (b"/lib/../../far/x", b"/mnt/far"),
        (b"here/far/x", b"/mnt/far"),
    ],
)
def test_a_path_that_leaves_them_is_found_before_anything_is_looked_up_there(path: bytes, folder: bytes) -> None:
    assert leaves_at(path) == folder


@pytest.mark.parametrize("path", [b"endless", b"/proc/self/cwd/x", b"/proc/123/fd/7"])
def test_what_cannot_be_followed_is_not_taken_for_local(path: bytes) -> None:
    assert leaves_at(path) == b"?"


def test_a_relative_path_from_nowhere_is_not_taken_for_local() -> None:
    assert leaves_at(b"x", base=b"") == b"?"
    assert leaves_at(b"x", base=b"(unreachable)/x") == b"?"


def test_where_the_root_is_foreign_everything_is() -> None:
    assert leaves_at(b"/etc", foreign={b"/": b"fuse.fuse-overlayfs"}) == b"/"

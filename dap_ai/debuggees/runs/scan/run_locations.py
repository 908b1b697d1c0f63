"""Finds runs at local paths and at URLs of any storage that fsspec supports (s3://, gs://, memory://, ...).

Readers need ordinary files. For a URL, a scan first downloads the beginning of each file to a temporary folder with the
same structure and file sizes, which is enough to recognize runs. A whole run is downloaded only for the analysis and
deleted afterwards.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from dap_ai.debuggees.runs.opening import each_run, is_there
from dap_ai.debuggees.runs.run_files import GLANCE_BYTES, CannotRead
from dap_ai.system.extras import FLEET

MAX_FETCHED_BYTES = 2 * 1024**3
"""Maximum total size in bytes of a run downloaded from a URL."""


def is_url(place: str) -> bool:
    """Return whether `place` is a URL and not a local path."""
    return "://" in place


def runs_below(place: str) -> Iterator[str]:
    """Yields the location of each run at or below `place`, sorted by name.

    Raises CannotRead, and MissingExtraError for a URL.
    """
    yield from _runs_at_url(place) if is_url(place) else _runs_at_path(Path(place))


@contextmanager
def local(place: str) -> Generator[Path]:
    """Yields a local path of the run, which is valid within the `with` block.

    Raises CannotRead, and MissingExtraError for a URL.
    """
    if not is_url(place):
        yield Path(place)
        return
    with tempfile.TemporaryDirectory(prefix="dap-ai-run-") as folder:
        yield _fetched(place, Path(folder))


def _runs_at_path(path: Path, seen: Callable[[Path], str] = str) -> Iterator[str]:
    if not is_there(path):
        raise CannotRead(f"{path}: is not there")
    yield from (seen(run) for run, _ in each_run(path))


def _runs_at_url(url: str) -> Iterator[str]:
    fs, root = _storage(url)
    with tempfile.TemporaryDirectory(prefix="dap-ai-scan-") as folder:
        top = Path(folder) / "top"
        for name, size in _files(fs, root, url):
            _begun(fs, root, name, size, top)

        def url_below(path: Path) -> str:
            below = path.relative_to(top).as_posix()
            return url if below == "." else f"{url.rstrip('/')}/{below}"

        yield from _runs_at_path(top, url_below)


def _storage(url: str) -> tuple[Any, str]:
    """Return the file system of a URL and the path in it. Raises CannotRead."""
    core: Any = FLEET.load("fsspec.core")
    try:
        return core.url_to_fs(url)
    except (ValueError, ImportError, OSError) as error:
        raise CannotRead(f"{url}: cannot be reached: {error}") from error


def _files(fs: Any, root: str, url: str) -> Sequence[tuple[str, int]]:
    """Return the relative name and the size in bytes of each file at or below the root.

    The name of the root itself is empty.
    """
    try:
        found: dict[str, dict[str, Any]] = fs.find(root, detail=True)
    except Exception as error:
        raise CannotRead(f"{url}: cannot be listed: {error}") from error
    if not found:
        raise CannotRead(f"{url}: is not there, or empty")
    return [(_below(root, name), int(info.get("size") or 0)) for name, info in sorted(found.items())]


def _below(root: str, name: str) -> str:
    """Return a name relative to the root. Raises CannotRead if the name leads outside the root."""
    below = name.strip("/").removeprefix(root.strip("/")).strip("/")
    if ".." in PurePosixPath(below).parts or "\0" in below:
        raise CannotRead(f"{name!r} is no name of a file in a run")
    return below


def _begun(fs: Any, root: str, name: str, size: int, top: Path) -> None:
    """Create a sparse local file with the remote file's beginning and size."""
    path = top / name if name else top
    path.parent.mkdir(parents=True, exist_ok=True)
    head = fs.cat_file(f"{root.rstrip('/')}/{name}" if name else root, start=0, end=min(size, GLANCE_BYTES))
    path.write_bytes(head)
    os.truncate(path, max(size, len(head)))


def _fetched(url: str, folder: Path) -> Path:
    fs, root = _storage(url)
    files = _files(fs, root, url)
    if (total := sum(size for _, size in files)) > MAX_FETCHED_BYTES:
        raise CannotRead(f"{url}: has {total} bytes, and is not fetched")
    base = folder / (PurePosixPath(root).name or "run")
    for name, _ in files:
        path = base / name if name else base
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            fs.get_file(f"{root.rstrip('/')}/{name}" if name else root, str(path))
        except Exception as error:
            raise CannotRead(f"{url}: {name or 'it'} cannot be fetched: {error}") from error
    return base

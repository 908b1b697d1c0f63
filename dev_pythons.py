"""Pythons that this system is too old for, unpacked from Debian's newer suites into a folder of their own.

A package is unpacked and never installed: nothing outside of the folder changes. It comes with the C library and the
loader that it was built for. The interpreter names both by absolute paths, so it starts like any program: as
`sys.executable`, under a debugger, in a virtual environment. A folder that was moved is unpacked anew.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

OLDEST_MINOR = 14
"""The first minor version of Python that is unpacked; older ones are common, and are searched for only."""
SUITES = ("trixie", "forky", "sid")
"""Searched in this order: an older suite needs an older C library."""
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_LIMIT_S = 300
_STAMP = "unpacked"


class UnpackError(Exception):
    """This Python could not be unpacked; the text says why."""


def can_unpack(minor: int, patchelf: Path) -> bool:
    """Whether this is a Debian system with the tools to unpack Python 3.`minor`, and that Python is new enough."""
    tools = all(shutil.which(name) for name in ("apt-get", "dpkg-deb")) and patchelf.exists()
    return minor >= OLDEST_MINOR and sys.platform == "linux" and Path(KEYRING).is_file() and tools


def unpacked_before(minor: int, folder: Path) -> Path | None:
    """The interpreter that `unpack` has put into `folder`, unless the folder was moved since."""
    python, stamp = folder / f"usr/bin/python3.{minor}", folder / _STAMP
    is_whole = stamp.is_file() and stamp.read_text(encoding="utf-8") == str(folder) and python.exists()
    return python if is_whole else None


def unpack(minor: int, folder: Path, patchelf: Path) -> Path:
    """Fills `folder` with Python 3.`minor`; its interpreter. Raises UnpackError, and leaves no folder then."""
    shutil.rmtree(folder, ignore_errors=True)
    python = folder / f"usr/bin/python3.{minor}"
    folder.mkdir(parents=True)
    try:
        with tempfile.TemporaryDirectory(prefix="dap-ai-apt-") as work:
            _download(minor, Path(work))
            for package in Path(work).glob("cache/archives/*.deb"):
                _run(["dpkg-deb", "--extract", package, folder])
        _bind(python, folder, patchelf)
        _run([python, "-c", "import ctypes, ensurepip, hashlib, sqlite3, ssl"])
        # As an installed package does it: without bytecode each start of Python takes three times as long.
        _run([python, "-m", "compileall", "-q", "-j0", *folder.glob("usr/lib/python3.*")])
    except UnpackError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (folder / _STAMP).write_text(str(folder), encoding="utf-8")
    return python


# -- packages ------------------------------------------------------------------------------------------------------


def _download(minor: int, work: Path) -> None:
    """Downloads the interpreter and all that it depends on, from the first suite that has it. Raises UnpackError."""
    mirror = _mirror()
    for suite in SUITES:
        apt = _private_apt(work, f"deb [signed-by={KEYRING}] {mirror} {suite} main")
        _run([*apt, "update"])
        try:
            _run([*apt, "install", "--download-only", "--yes", f"python3.{minor}", f"python3.{minor}-venv"])
        except UnpackError:
            continue
        return
    raise UnpackError(f"none of Debian's suites {', '.join(SUITES)} has it")


def _private_apt(work: Path, source: str) -> list[str | Path]:
    """`apt-get` with one source, and with lists, cache and a status of its own: nothing counts as installed."""
    (work / "sources.list").write_text(source + "\n", encoding="utf-8")
    (work / "status").touch()
    for name in ("lists/partial", "cache/archives/partial"):
        (work / name).mkdir(parents=True, exist_ok=True)
    settings = {
        "Dir::Etc::sourcelist": work / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::Etc::preferencesparts": "-",
        "Dir::State": work,
        "Dir::State::status": work / "status",
        "Dir::Cache": work / "cache",
        "Acquire::Languages": "none",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "",
    }
    return ["apt-get", "--quiet", *(part for name, value in settings.items() for part in ("-o", f"{name}={value}"))]


def _mirror() -> str:
    """The address from which this system takes Debian's packages. Raises UnpackError."""
    wanted = ["Created-By: Packages", "Origin: Debian", "Component: main"]
    sites = _run(["apt-get", "indextargets", "--format", "$(SITE)", *wanted]).split()
    mirrors = [site for site in sites if site.rstrip("/").endswith("debian")]
    if not mirrors:
        raise UnpackError("apt has no list of Debian's packages: run `apt-get update` once")
    return mirrors[0]


# -- one folder that needs nothing else ----------------------------------------------------------------------------


def _bind(python: Path, folder: Path, patchelf: Path) -> None:
    """Binds the interpreter to the loader, the libraries and pip's wheels in `folder`. Raises UnpackError."""
    loaders = [*folder.glob("usr/lib*/ld-linux*.so.*"), *folder.glob("usr/lib/*/ld-linux*.so.*")]
    if not loaders or not python.exists():
        raise UnpackError("its packages have no loader, or no interpreter")
    libraries = next(folder.glob("usr/lib/*-linux-gnu*"))
    # RPATH, unlike RUNPATH, holds for the libraries that an extension module needs, too.
    patch = ["--force-rpath", "--set-rpath", libraries, "--set-interpreter", loaders[0].resolve(), python]
    _run([patchelf, *patch])
    for data in {path.resolve() for path in folder.glob("usr/lib/python3.*/_sysconfigdata__*.py")}:
        text = data.read_text(encoding="utf-8")
        data.write_text(text.replace("/usr/share/python-wheels", f"{folder}/usr/share/python-wheels"), encoding="utf-8")


def _run(command: Sequence[str | Path]) -> str:
    """What a command prints. Raises UnpackError with its last line."""
    parts = [str(part) for part in command]
    try:
        done = subprocess.run(
            parts,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnpackError(f"`{parts[0]}`: {error}") from error
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise UnpackError(f"`{parts[0]}` ended with {done.returncode}: {''.join(last)}")
    return done.stdout

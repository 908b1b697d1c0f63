"""What an installation takes on disk: megabytes of each package, beside an empty virtual environment.

    python benchmarks/install.py [--extra NAME ...] [--also PACKAGE ...] [--json FILE]

A virtual environment is made anew, dap_ai is installed into it by pip with the extras that are named, and what that
takes is counted in blocks and megabytes of 1024 * 1024 bytes, as `du -m` counts. A package's figure is that of the
files which it has installed, bytecode included. Uses the network. `--also` measures packages that dap_ai does not need
yet. Exit code 1: the base takes more than 100 MB.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from _dap import ROOT, machine, show

MB = 1 << 20
BLOCK_BYTES = 512
"""The unit of `st_blocks`, whatever the file system's own is."""
BUDGET_MB = 100


def taken(paths: Sequence[Path]) -> int:
    """Bytes on disk; a file with two names counts once."""
    files = {(stat.st_dev, stat.st_ino): stat.st_blocks * BLOCK_BYTES for stat in (path.lstat() for path in paths)}
    return sum(files.values())


def by_package(folder: Path) -> dict[str, int]:
    """Bytes of each installed package, the largest first."""
    site = next(folder.glob("lib/python*/site-packages"), folder / "Lib" / "site-packages")
    found = {
        package.name: taken(
            [path for file in package.files or () if (path := Path(str(package.locate_file(file)))).exists()]
        )
        for package in metadata.distributions(path=[str(site)])
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def copied(folder: Path) -> Path:
    """What is installed: built in place, it would leave a folder `build` in the clone."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "dap_ai", folder / "dap_ai", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def measure(folder: Path, project: Path, extras: Sequence[str], also: Sequence[str]) -> dict[str, Any]:
    """An environment with these extras: megabytes in all beside an empty one, and of each package."""
    venv.create(folder, with_pip=True)
    empty, before = taken(list(folder.rglob("*"))), by_package(folder)
    wanted = f"{project}[{','.join(extras)}]" if extras else str(project)
    python = next(path for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if path.exists())
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted, *also]
    subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
    packages = {name: size / MB for name, size in by_package(folder).items() if name not in before}
    return {
        "extras": list(extras),
        "also": list(also),
        "mb": (taken(list(folder.rglob("*"))) - empty) / MB,
        "packages": packages,
    }


def rows(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Of the table, packages below a tenth of a megabyte in one row."""
    large = {name: size for name, size in result["packages"].items() if size >= 0.1}
    rest = sum(result["packages"].values()) - sum(large.values())
    return [
        *((name, f"{size:.1f}") for name, size in large.items()),
        (f"{len(result['packages']) - len(large)} smaller ones", f"{rest:.1f}"),
        ("together, beside an empty environment", f"{result['mb']:.1f}"),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extra", action="append", default=[], help="of pyproject.toml; repeatable")
    parser.add_argument("--also", action="append", default=[], metavar="PACKAGE", help="beside dap-ai; repeatable")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        project.mkdir()
        result = measure(Path(folder) / "venv", copied(project), options.extra, options.also)
    what = f"dap-ai[{','.join(options.extra)}]" if options.extra else "dap-ai"
    show(f"{what}, installed", ["package", "MB"], rows(result))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), **result}, indent=2) + "\n", encoding="utf-8")
    return int(not options.extra and not options.also and result["mb"] > BUDGET_MB)


if __name__ == "__main__":
    sys.exit(main())

"""Decides which files the agent may read: files in the program's own folders and in its libraries.

The agent never reads files that git ignores, that are named like secrets, or that are too large, binary or not regular.
It reads no data file with hard links. Symbolic links are resolved before any check.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dap_ai.agent.case.debuggee_kind import Kind, kind_of_source
from dap_ai.agent.case.ignored import Ignored
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.masking.secret_files import SECRET_FOLDERS, secret_rule
from dap_ai.agent.source.source_file import MAX_SOURCE_BYTES, is_source, is_user_path
from dap_ai.agent.source.source_files import SYSTEM_FOLDERS
from dap_ai.system.texts import code

_SKIPPED = frozenset({"node_modules", "CMakeFiles", "__pycache__", "__pypackages__", ".tox", ".nox", ".venv"})
_SNIFFED_BYTES = 4096
MAX_WALKED = 20_000
"""Maximum directory entries visited in one walk."""
WALK_S = 2.0


class UnreadableFileError(ValueError):
    """Raised for a file that the agent may not read. The message names the rule and what to do instead."""


@dataclass
class Roots:
    """Folders and files that the agent may read. All folders are real paths."""

    files: tuple[str, ...] = ()
    """Files of the stack frames, with the program's paths. The agent may read them even if git ignores them."""
    workspace: tuple[Path, ...] = ()
    """The program's own folders. Searches cover only these folders."""
    others: tuple[Path, ...] = ()
    """Further project folders from which the program imports."""
    libraries: tuple[Path, ...] = ()
    """The standard library and site-packages. Git's ignore rules do not apply there."""
    _ignored: dict[Path, Ignored] = field(default_factory=dict[Path, Ignored], compare=False)

    def find(self, file: str) -> str:
        """Returns a readable file's path, as the program spells it. Raises UnreadableFileError.

        `file` is an absolute path or the end of a path.
        """
        wanted = Path(file)
        if wanted.is_absolute():
            named = file
        elif not wanted.parts or ".." in wanted.parts or "\0" in file:
            raise UnreadableFileError(
                f"{file[:200]!r} names no file: give an absolute path, or the end of one without `..`"
            )
        else:
            named = self._ending(wanted)
        real = self.check(named)
        plain = os.path.normpath(named)
        return plain if real_path(plain) == real else str(real)

    def check(self, path: str) -> Path:
        """Returns the real path of a readable file. Raises UnreadableFileError."""
        real, name = real_path(path), Path(path).name
        library = _is_within(real, self.libraries)
        rule = _secret_rule(Path(path)) or _secret_rule(real)
        if rule and not (library and is_source(real)):
            raise UnreadableFileError(
                f"{name} is not read: what is named like {code(rule)} may hold secrets. Read the program's values"
            )
        own = any(real_path(known) == real for known in self.files)
        root = next((r for r in (*self.workspace, *self.others) if real.is_relative_to(r)), None)
        if not (library or own or root):
            raise UnreadableFileError(
                f"{path[:200]} is outside of the program's folders and libraries. Read the files of its frames, "
                f"or below {', '.join(map(str, self.workspace)) or 'them'}"
            )
        if root and not (library or own) and self.rules(root).holds(real):
            raise UnreadableFileError(
                f"{name} is not read: git ignores it. Read the values that the program made of it"
            )
        if not library and is_linked_data(real):
            raise UnreadableFileError(
                f"{name} is not read: it is no source, and has another name (a hard link), perhaps that of a secret. "
                f"Read the program's values"
            )
        _check_content(real)
        return real

    def walk(self) -> Walk:
        """Returns an iterable of the workspace's readable files."""
        return Walk(self)

    def _ending(self, wanted: Path) -> str:
        own = [path for path in dict.fromkeys(self.files) if is_end_of(wanted, Path(path))]
        beside = [root / wanted for root in (*self.workspace, *self.others, *self.libraries)]
        found = own or [str(path) for path in beside if os.path.lexists(path)][:1]
        found = found or [str(path) for path in self.walk() if is_end_of(wanted, path)]
        if not found:
            raise UnreadableFileError(
                f"there is no file {wanted} in the program's folders: `search` finds where a text stands"
            )
        if len(found) > 1:
            shown = ", ".join(found[:6])
            raise UnreadableFileError(f"{len(found)} files end so: name more of the path ({shown})")
        return found[0]

    def rules(self, root: Path) -> Ignored:
        """Returns the git ignore rules of a folder."""
        if root not in self._ignored:
            self._ignored[root] = Ignored(root)
        return self._ignored[root]


class Walk:
    """Iterates over a workspace's readable files, top folders first. Does not follow links or check sizes."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self.is_cut = False
        """Whether the walk stopped early, after MAX_WALKED entries or WALK_S seconds."""

    def __iter__(self) -> Iterator[Path]:
        left, ends = MAX_WALKED, time.monotonic() + WALK_S
        for root in self._roots.workspace:
            rules = self._roots.rules(root)
            folders = deque([root])
            while folders:
                for entry in _entries(folders.popleft()):
                    left -= 1
                    if left < 0 or time.monotonic() > ends:
                        self.is_cut = True
                        return
                    path, is_folder = Path(entry.path), _is(entry.is_dir)
                    if is_folder and not _is_skipped(path) and not rules.holds_entry(path, is_folder=True):
                        folders.append(path)
                    elif _is(entry.is_file) and not (
                        _secret_rule(path) or rules.holds_entry(path, is_folder=False) or is_linked_data(path)
                    ):
                        yield path


def roots_of(case: StopSnapshot, import_path: Iterable[str] = ()) -> Roots:
    """Returns what the agent may read of a stopped program. `import_path` is the program's `sys.path`, if known."""
    named = dict.fromkeys(frame.path for frame in case.frames if Path(frame.path).is_absolute())
    files = tuple(path for path in named if not case.sources.refusal(path))
    kind = kind_of_source(case)
    workspace = _outermost(project_of(folder, kind.project_marks) for folder in _own_folders(case, files, kind))
    imported = [real_path(folder) for folder in import_path if Path(folder).is_absolute()]
    libraries = [folder for folder in imported if is_library(str(folder / "x"), kind)]
    libraries += {
        _library_of(Path(f)) for f in (*files, *_defining(case)) if Path(f).is_absolute() and not is_user_path(f)
    }
    libraries += map(real_path, kind.system_folders)
    others = _outermost(project_of(folder) for folder in imported if not is_library(str(folder / "x"), kind))
    return Roots(files, workspace, others, _outermost(libraries))


def is_library(path: str, kind: Kind) -> bool:
    """Whether a file belongs to a library, by its folder."""
    return not is_user_path(path) or kind.is_library(path)


def is_end_of(wanted: Path, path: Path) -> bool:
    """Whether `path` ends with the parts of `wanted`."""
    return bool(wanted.parts) and path.parts[-len(wanted.parts) :] == wanted.parts


def project_of(folder: Path, marks: Sequence[str] = ()) -> Path:
    """Returns the project folder of a folder: the nearest parent with `.git`, else with `pyproject.toml`.

    Without these, returns the outermost parent that contains a file in `marks`, else `folder` itself.
    """
    above = [f for f in (folder, *folder.parents) if not is_too_wide(f)]
    for mark in (".git", "pyproject.toml"):
        found = next((f for f in above if os.path.exists(f / mark)), None)  # noqa: PTH110  no error
        if found:
            return found
    built = [f for f in above if any(os.path.exists(f / mark) for mark in marks)]  # noqa: PTH110
    return built[-1] if built else folder


def _own_folders(case: StopSnapshot, files: Sequence[str], kind: Kind) -> Iterator[Path]:
    """Yields the folder of the main script or of the kind's own files, then the working directory."""
    seen = case.inspection
    own = kind.own_files(case, files)
    if own is not None:
        yield from (real_path(path).parent for path in own)
        files = ()
    script = Path(seen.cwd, seen.argv[0]) if seen.cwd and seen.argv else None
    if script and script.is_absolute() and script.suffix in (".py", ".pyw") and is_user_path(str(script)):
        yield real_path(script).parent
    elif outermost := [file for file in files if is_user_path(file)][-1:]:
        yield real_path(outermost[0]).parent
    if seen.cwd:
        yield real_path(seen.cwd)


def is_linked_data(path: Path) -> bool:
    """Whether a file that is not source has several hard links, so that another name may mark it as secret.

    Source files are exempt, because package managers hard-link them. Secrets in source are masked anyway.
    """
    if is_source(path):
        return False
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return found.st_nlink > 1 and stat.S_ISREG(found.st_mode)


def _secret_rule(path: Path) -> str:
    return secret_rule(path, is_source=is_source(path))


def _defining(case: StopSnapshot) -> Iterator[str]:
    """Yields the files in which the modules, functions and classes among the frames' variables are defined."""
    for place in case.places:
        for variable in (*place.facts.arguments, *place.facts.locals) if place.facts else ():
            if variable.value.definition:
                yield variable.value.definition.file


def _outermost(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Returns the distinct folders that exist, are not inside another folder of the list, and are not too wide."""
    known = [f for f in dict.fromkeys(folders) if os.path.isdir(f) and not is_too_wide(f)]  # noqa: PTH112  no error
    return tuple(f for f in known if not any(f != other and f.is_relative_to(other) for other in known))


def is_too_wide(folder: Path) -> bool:
    """Whether a folder is too general to be a project, such as the home folder, a temporary or a system folder."""
    home = real_path(os.path.expanduser("~"))  # noqa: PTH111  raises nothing
    if any(folder.is_relative_to(each) for each in SYSTEM_FOLDERS) or _holds_secrets(folder):
        return True
    return folder in (folder.parent, real_path(tempfile.gettempdir())) or home.is_relative_to(folder)


def _holds_secrets(folder: Path) -> bool:
    return any(part.casefold() in SECRET_FOLDERS for part in folder.parts)


def _library_of(file: Path) -> Path:
    """Returns the topmost library folder above a library file."""
    inside = [folder for folder in real_path(file).parents if not is_user_path(str(folder / "x"))]
    return inside[-1] if inside else file.parent


def _is_within(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def real_path(path: str | Path) -> Path:
    """Returns the path with all links resolved. Raises UnreadableFileError."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise UnreadableFileError(f"{str(path)[:200]!r} names no file: {error}") from None


def _check_content(real: Path) -> None:
    try:
        found = real.stat()
        if stat.S_ISDIR(found.st_mode):
            raise UnreadableFileError(f"{real.name} is a folder: name a file, or `search` for a text")
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableFileError(f"{real.name} is not read: it is a device, a pipe or a socket")
        if found.st_size > MAX_SOURCE_BYTES:
            raise UnreadableFileError(f"{real.name} is not read: it has more than {MAX_SOURCE_BYTES // 1_000_000} MB")
        with real.open("rb") as file:
            head = file.read(_SNIFFED_BYTES)
    except FileNotFoundError:
        raise UnreadableFileError(f"there is no file {real}") from None
    except OSError as error:
        raise UnreadableFileError(f"{real.name} cannot be read: {error.strerror}") from None
    if b"\0" in head:
        raise UnreadableFileError(f"{real.name} is not read: it is binary, no text")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_skipped(folder: Path) -> bool:
    """Whether a walk skips this folder because it belongs to a library or tool. Named paths can still reach it."""
    own = folder.name in _SKIPPED or folder.name.casefold() in SECRET_FOLDERS
    return own or not is_user_path(str(folder / "x")) or os.path.lexists(folder / "pyvenv.cfg")


def _is(kind: Callable[..., bool]) -> bool:
    """Calls `kind`, such as `entry.is_dir`, without following links. False if the call fails."""
    try:
        return kind(follow_symlinks=False)
    except OSError:
        return False

"""Effects of a shell text: the effects of each command, with resolved paths.

The strongest effect gives the text its kind. Two rules beyond the tables limit the kind `change`. If a verify, install
or build command redirects its output to a file, the file is a log and not a change. The same holds for output of a
background job and for .log files. Creating a folder or removing a temporary file does not count as a change if another
command does more than look.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import STRENGTH, EffectKind, FileWrite, How
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.command_lines.command_effect import Deed
from dap_ai.debuggees.runs.analysis.command_lines.program_effects import deed_of
from dap_ai.debuggees.runs.analysis.command_lines.shell_parser import ShellCommand, parse
from dap_ai.debuggees.runs.analysis.rule_tables import programs

_MAX_NESTED = 4
_MAX_TEXT = 200_000
"""Maximum characters kept of the content that a call writes to a file."""
_STRAY = re.compile(r"\s*>&?\s*(\S*)")
_LOGS: frozenset[str] = frozenset({"verify", "install", "build"})
_WEAK = {"rm", "touch", "rmdir"}


class CallEffects(msgspec.Struct):
    """Effects of one call, collected while parsing."""

    kinds: list[EffectKind] = []
    weak: bool = False
    """Whether the call changes only temporary files, folders or modes."""
    reads: list[str] = []
    writes: list[FileWrite] = []
    executes: list[str] = []
    programs: list[str] = []
    runners: list[str] = []
    code: str = ""
    cwd: str = ""
    noop: str = ""
    background: bool = False
    editor: bool = False
    """Whether the call is of a tool other than a shell, or is a command of the agent's own interface."""

    def kind(self) -> EffectKind:
        """Return the call's strongest kind."""
        return self.ordered()[0]

    def ordered(self) -> list[EffectKind]:
        """Return all effect kinds of the call, strongest first; `run` if the call has no effects."""
        kinds: list[EffectKind] = [kind for kind in STRENGTH if kind in self.kinds]
        if self.weak and any(kind in {"install", "verify", "run"} for kind in kinds):
            kinds.sort(key=lambda kind: {"explore": 1, "change": 2}.get(kind, 0))
        return kinds or ["run"]


def read_shell(text: str, cwd: str) -> CallEffects:
    """Return the effects of `text` given to a shell in the directory `cwd`.

    The result's `cwd` is the directory after the command. No text raises an error; without tree-sitter, raises
    MissingExtraError.
    """
    seen = CallEffects(cwd=cwd)
    stray = _STRAY.match(text)
    if stray and (not stray[1] or programs().knows(paths.name(stray[1]))):
        seen.noop = "a stray `>` before the command"
        seen.kinds.append("run")
        return seen
    strong = _Reading(seen).run(text, 0)
    if not seen.kinds and not seen.writes:
        _nothing(seen, text)
    seen.weak = "change" in seen.kinds and not (strong or _modes(seen))
    return seen


def _modes(seen: CallEffects) -> bool:
    """Return whether the text changes the modes of files that it does not run itself."""
    return any(write.how == "mode" and write.path not in seen.executes for write in seen.writes)


def _nothing(seen: CallEffects, text: str) -> None:
    """Set the kind of a text without effects: `explore` if the text only changes directory, else `run`.

    For a no-op, also sets the reason.
    """
    names = set(seen.programs)
    looks = names and names <= {"cd", "pushd", "popd"}
    seen.kinds.append("explore" if looks else "run")
    if looks:
        return
    if not text.strip():
        seen.noop = "an empty command"
    elif names and names <= {":", "true", "cd"}:
        seen.noop = "the no-op `:`" if ":" in names else "the no-op `true`"


class _Reading:
    """Collects the effects of the commands in one shell text, in order."""

    def __init__(self, seen: CallEffects) -> None:
        self.seen = seen
        self.strong = False
        self.printed: str | None = None
        """Output of the previous command if the shell text itself shows the output, else None."""
        self.log = False

    def run(self, text: str, nested: int) -> bool:
        """Add the effects of the shell text `text`; return whether the text changes more than temporary files."""
        places: dict[tuple[int, ...], str] = {(0,): self.seen.cwd}
        for command in parse(text):
            place = _place(places, command.scope)
            deed = deed_of(command.words, command.stdin)
            if deed.cd is not None:
                places[command.scope] = paths.join(place, deed.cd)
            self._add(deed, command, place)
            if deed.script is not None and nested < _MAX_NESTED:
                self.seen.cwd, before = place, self.seen.cwd
                self.run(deed.script, nested + 1)
                self.seen.cwd = before
        if not nested:
            self.seen.cwd = places[(0,)]
        return self.strong

    def _add(self, deed: Deed, command: ShellCommand, place: str) -> None:
        seen = self.seen
        inner = paths.join(place, deed.within) if deed.within else place
        seen.programs += deed.names
        seen.background = seen.background or command.background
        seen.reads += [paths.join(inner, path) for path in deed.reads if _is_path(path)]
        seen.executes += [paths.join(inner, path) for path in deed.executes]
        seen.runners += [deed.runner] if deed.runner else []
        seen.code = (f"{seen.code}\n{deed.code}" if seen.code else deed.code)[:20_000] if deed.code else seen.code
        self.log = (self.log and command.piped) or deed.does in _LOGS
        content = self._content(deed, command)
        self._writes(deed, inner, content)
        self._redirects(deed, command, place, content)
        self.printed = content
        does = deed.does
        if does == "change" and self._only_logs(deed):
            does = "neutral"
        if does != "neutral":
            seen.kinds.append("run" if does == "build" else does)

    def _only_logs(self, deed: Deed) -> bool:
        """Return whether the command only saves a log, e.g. `pytest | tee out.log`."""
        return self.log and deed.names == ["tee"]

    def _writes(self, deed: Deed, inner: str, content: str | None) -> None:
        """Add the files that the program itself writes, without redirections."""
        for write in deed.writes:
            path = paths.join(inner, write.path)
            if paths.is_device(path):
                continue
            how: How = "log" if self._only_logs(deed) else write.how
            new = content if deed.names == ["tee"] and how in {"create", "append"} else write.new
            self.seen.writes.append(msgspec.structs.replace(write, path=path, how=how, new=new))
            removed = paths.is_temporary(path) and set(deed.names) <= _WEAK
            weak = how in {"mode", "log"} or deed.names == ["mkdir"] or removed
            self.strong = self.strong or not weak
        if deed.does == "change" and not deed.writes and not self._only_logs(deed):
            self.strong = True

    def _redirects(self, deed: Deed, command: ShellCommand, place: str, content: str | None) -> None:
        """Add the files that the shell reads and writes by redirection."""
        for redirect in command.redirects:
            path = paths.join(place, redirect.target)
            if paths.is_device(path) or not _is_path(redirect.target):
                continue
            if redirect.operator.startswith("<"):
                self.seen.reads.append(path)
                continue
            captured = deed.does == "run" and (command.background or path.endswith(".log") or paths.is_temporary(path))
            if redirect.descriptor == "2" or self.log or captured:
                self.seen.writes.append(FileWrite(path, "log"))
                continue
            how: How = "append" if ">>" in redirect.operator else "create"
            self.seen.writes.append(FileWrite(path, how, new=content if content is None else content[:_MAX_TEXT]))
            self.seen.kinds.append("change")
            self.strong = self.strong or content is not None or not paths.is_temporary(path)

    def _content(self, deed: Deed, command: ShellCommand) -> str | None:
        """Return the command's output if the shell text itself shows the output, else None."""
        words = command.words
        if deed.names == ["cat"] and not deed.reads:
            return command.stdin if command.stdin is not None else self.printed if command.piped else None
        if words[:1] in ([":"], ["true"]):
            return ""
        if deed.names == ["tee"]:
            return self.printed if command.piped else command.stdin
        if deed.names == ["echo"]:
            return " ".join(word for word in words[1:] if word not in {"-n", "-e", "-ne", "-en"}) + "\n"
        if deed.names == ["printf"] and len(words) > 1:
            return words[1].replace("\\n", "\n").replace("\\t", "\t")
        return None


def _place(places: dict[tuple[int, ...], str], scope: tuple[int, ...]) -> str:
    """Return the working directory of a subshell. A new subshell has the directory of the enclosing shell."""
    if scope not in places:
        places[scope] = _place(places, scope[:-1]) if len(scope) > 1 else ""
    return places[scope]


def _is_path(text: str) -> bool:
    """Return whether a word is a literal path. Options, process substitutions and computed words are not."""
    computed = text.startswith(("$(", "`", "<(", ">(", "-", "&"))
    return bool(text) and not computed and "\n" not in text and len(text) <= paths.MAX_CHARS


def text_of_command(arguments: Mapping[str, object], names: Sequence[str]) -> str | None:
    """Return the shell text among a call's arguments: the value of the first argument in `names`, or None.

    The words of a list are joined with quotes. For `["bash", "-lc", TEXT]`, returns TEXT.
    """
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list | tuple):
            words = [word for word in cast("Sequence[object]", value) if isinstance(word, str)]
            if len(words) == 3 and paths.name(words[0]) in programs().shells and words[1].startswith("-"):
                return words[2]
            return " ".join(_quoted(word) for word in words) if words else None
    return None


def _quoted(word: str) -> str:
    """Return `word` quoted for a shell, faster than shlex.quote for long words."""
    plain = word.replace("_", "").replace("-", "").replace(".", "").replace("/", "").isalnum()
    return word if plain else "'" + word.replace("'", "'\"'\"'") + "'"

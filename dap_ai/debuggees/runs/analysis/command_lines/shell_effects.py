"""A text of shell to what it does: every command's deed, its paths placed, and the strongest as the text's effect.

Two rules beyond the tables keep the word `change` honest. What a verifying, installing or building command prints into
a file is a log, no change; so is what a job in the background prints, and what goes to a file named .log. And a folder
that is made, or a temporary file that is removed, does not count beside something stronger than looking.
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
"""Characters of a file's content that are kept of a write."""
_STRAY = re.compile(r"\s*>&?\s*(\S*)")
_LOGS: frozenset[str] = frozenset({"verify", "install", "build"})
_WEAK = {"rm", "touch", "rmdir"}


class CallEffects(msgspec.Struct):
    """What has been seen of a call so far."""

    kinds: list[EffectKind] = []
    weak: bool = False
    """Its only changes are of temporary files."""
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
    """The tool is no shell, or a command of the agent's own interface."""

    def kind(self) -> EffectKind:
        """The strongest."""
        return self.ordered()[0]

    def ordered(self) -> list[EffectKind]:
        """All, strongest first; something that only sets or says is a run."""
        kinds: list[EffectKind] = [kind for kind in STRENGTH if kind in self.kinds]
        if self.weak and any(kind in {"install", "verify", "run"} for kind in kinds):
            kinds.sort(key=lambda kind: {"explore": 1, "change": 2}.get(kind, 0))
        return kinds or ["run"]


def read_shell(text: str, cwd: str) -> CallEffects:
    """What `text` does when it is given to a shell in `cwd`. Never raises; `cwd` of the answer is where it ends."""
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
    """Whether modes are set of files that are not just made ready to be run here."""
    return any(write.how == "mode" and write.path not in seen.executes for write in seen.writes)


def _nothing(seen: CallEffects, text: str) -> None:
    """Names what has no effect of its own: `cd` looks, the rest runs and does nothing."""
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
    """Goes through the commands of one text, in order."""

    def __init__(self, seen: CallEffects) -> None:
        self.seen = seen
        self.strong = False
        self.printed: str | None = None
        """What the command before printed, where that stands in the text."""
        self.log = False

    def run(self, text: str, nested: int) -> bool:
        """Adds what `text` does; whether it changes more than temporary files."""
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
        """`pytest | tee out.log`."""
        return self.log and deed.names == ["tee"]

    def _writes(self, deed: Deed, inner: str, content: str | None) -> None:
        """The files that the program itself writes."""
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
        """The files that the shell writes for it."""
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
        """What the command prints, where the text itself says so."""
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
    """The directory of a subshell: at first that of the one around it."""
    if scope not in places:
        places[scope] = _place(places, scope[:-1]) if len(scope) > 1 else ""
    return places[scope]


def _is_path(text: str) -> bool:
    """Not what only running would tell, nor a process substitution."""
    computed = text.startswith(("$(", "`", "<(", ">(", "-", "&"))
    return bool(text) and not computed and "\n" not in text and len(text) <= paths.MAX_CHARS


def text_of_command(arguments: Mapping[str, object], names: Sequence[str]) -> str | None:
    """The shell text among a call's arguments: the first of `names`; of a list its words, of `bash -lc TEXT` TEXT."""
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
    """`word` as a shell would take it; shlex.quote without its regular expression over long words."""
    plain = word.replace("_", "").replace("-", "").replace(".", "").replace("/", "").isalnum()
    return word if plain else "'" + word.replace("'", "'\"'\"'") + "'"

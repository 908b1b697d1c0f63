"""Determines the effect of each step: first from its call alone, then in the context of the run.

A call that runs a script has the effect `run` by itself. In context, the effect is `verify` if the script checks work
changed before, and `change` if the script is a patch that the agent wrote as a program. Reading back a result that the
task asks for is also `verify`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, EffectKind, FileWrite
from dap_ai.debuggees.runs.analysis.call_effects import Context, read_call
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.command_lines.inline_code import read_code
from dap_ai.debuggees.runs.analysis.command_lines.shell_effects import CallEffects
from dap_ai.debuggees.runs.analysis.file_roles import FileRoles, words_of
from dap_ai.debuggees.runs.analysis.rule_tables import programs, tools
from dap_ai.debuggees.runs.run_model import Event, Run, RunStep

_FRESH_SHELL = frozenset({"mini-swe-agent"})
"""Formats of runs in which each command starts in the workspace again."""
_MAX_KEPT = 100_000
"""Maximum characters kept of a script. The text shows later what running the script does."""
_COMPLAINT = re.compile(r"^(\S*(ba|da|z|k)?sh|eval)\b.*: |command not found$|^\[error\] ")
_SYNTAX = re.compile(
    r"syntax error (near|:)|unexpected EOF while looking|unterminated quoted string|unexpected end of file"
)
_EXIT = re.compile(r"\s*(Exit code:? \d+|</?(returncode|output)>.*)\s*$")
_IDENTIFIER = re.compile(r"\w{3,}")


class Read(msgspec.Struct):
    """A step and the effects of its call alone.

    `refused` is the line with which the tool rejected the call, or empty.
    """

    step: RunStep
    seen: CallEffects
    cwd: str
    refused: str = ""


def effects_of(run: Run, steps: Sequence[RunStep]) -> tuple[list[Effect], FileRoles]:
    """Return an effect for each step, in order, and the roles of the run's files."""
    read = _read(run, steps)
    files = _files(run, read)
    judge = _Judge(files)
    return [judge.effect(one) for one in read], files


def _read(run: Run, steps: Sequence[RunStep]) -> list[Read]:
    """Return the effects of each call alone, in the directory in which the agent's earlier calls ended."""
    contexts: dict[str, Context] = {}
    swe_agent = run.format == "swe-agent"
    made: list[Read] = []
    for step in steps:
        if step.call is None:
            made.append(Read(step, CallEffects(kinds=["message"]), "", _format_refused(step)))
            continue
        context = contexts.setdefault(step.call.agent, Context(run.workspace))
        seen = read_call(step.call, context, swe_agent=swe_agent)
        seen.noop = seen.noop or _malformed(seen, step)
        one = Read(step, seen, context.cwd, _refused(seen, step))
        made.append(one)
        if not one.refused:
            _remember(context, seen, step, run)
    return made


def _remember(context: Context, seen: CallEffects, step: RunStep, run: Run) -> None:
    """Update the working directory and open file after a call."""
    failed = step.result is not None and (step.result.exit_code or 0) != 0
    if run.format not in _FRESH_SHELL and not failed:
        context.cwd = seen.cwd
    if seen.editor and seen.programs[:1] and seen.programs[0] in {"open", "create"}:
        context.opened = next(iter([*seen.reads, *(write.path for write in seen.writes)]), context.opened)


def _format_refused(step: RunStep) -> str:
    """Return the line that rejected a response without a call for its format; empty if none was rejected."""
    for event in [step.result, *step.others]:
        if event is not None and event.text.lstrip().startswith(tools().refusals["format"]):
            return first_line(event.text)
    return ""


def _refused(seen: CallEffects, step: RunStep) -> str:
    """Return the line with which the tool rejected the call; empty if the tool accepted the call."""
    if step.result is None:
        return ""
    text, words = step.result.text.lstrip(), tools().refusals
    known = (*words["always"], *words["editors"]) if seen.editor else words["always"]
    return first_line(text) if text.startswith(known) else ""


def _malformed(seen: CallEffects, step: RunStep) -> str:
    """Return why the shell ran nothing (syntax error, or no command in the text); empty if the shell ran something."""
    if seen.editor or step.result is None:
        return ""
    said = [line for line in step.result.text[:4000].split("\n") if line.strip() and not _EXIT.match(line)]
    if not said or not all(_COMPLAINT.search(line) for line in said):
        return ""
    if any(_SYNTAX.search(line) for line in said):
        return "the shell could not read the command"
    known = seen.executes or seen.runners or any(programs().knows(name) for name in seen.programs)
    return "" if known or set(seen.kinds) != {"run"} else f"no command: {(seen.programs or [''])[0][:40]}"


def first_line(text: str, most: int = 200) -> str:
    """Return the first line that is not blank, cut to `most` characters."""
    return next((line.strip() for line in text[:4000].split("\n") if line.strip()), "")[:most]


def _files(run: Run, read: Sequence[Read]) -> FileRoles:
    """Return the roles of the run's files. They depend on which files the agent created, removed and ran."""
    made: set[str] = set()
    touched: set[str] = set()
    removed: set[str] = set()
    executed: set[str] = set()
    for one in read:
        executed.update(one.seen.executes)
        touched.update(one.seen.reads)
        for write in [] if one.refused else one.seen.writes:
            if write.how in {"create", "append"} and write.path not in touched:
                made.add(write.path)
            elif write.how == "delete" and write.path in made:
                removed.add(write.path)
            touched.add(write.path)
    return FileRoles(run.task, made, removed, executed, run.workspace)


class _Judge:
    """Determines the effects of steps in context: visits the steps in order and tracks earlier changes."""

    def __init__(self, files: FileRoles) -> None:
        self.files = files
        self.written: dict[str, str | None] = {}
        """Files the agent has written, with their text or None if unknown."""
        self.work: dict[str, None] = {}
        """Paths of the written files that are work files."""
        self.changed = False

    def effect(self, one: Read) -> Effect:
        seen = one.seen
        kinds = list(seen.ordered())
        writes = list(seen.writes)
        if not one.refused and not seen.noop:
            kinds, writes = self._in_its_run(one, kinds, writes)
        effect = Effect(
            one.step.number,
            kinds[0],
            kinds,
            list(dict.fromkeys(seen.reads)),
            [msgspec.structs.replace(write, role=self.files.role(write.path)) for write in writes],
            seen.executes,
            seen.programs,
            seen.runners,
            seen.code,
            one.cwd,
            seen.noop,
            one.refused,
            seen.background,
        )
        if not one.refused and not seen.noop:
            self._remember(effect)
        return effect

    def _in_its_run(
        self, one: Read, kinds: list[EffectKind], writes: list[FileWrite]
    ) -> tuple[list[EffectKind], list[FileWrite]]:
        """Return the step's effect kinds and writes, considering the earlier changes."""
        seen = one.seen
        if "run" in kinds and (patched := self._patches(seen)):
            return list(dict.fromkeys(["change", *kinds])), [*writes, *patched]
        if "run" in kinds and not seen.background and self._judges(one):
            kinds = ["verify" if kind == "run" else kind for kind in kinds]
        elif kinds[0] == "explore" and self._looks_at_result(seen):
            kinds = ["verify", *kinds]
        return kinds, writes

    def _patches(self, seen: CallEffects) -> list[FileWrite]:
        """Return the writes of executed scripts that are patches.

        A script is a patch if it writes a file that it reads or that the task names.
        """
        found: list[FileWrite] = []
        here = {write.path: write.new for write in seen.writes if write.how == "create"}
        for path in seen.executes:
            text = here.get(path) or self.written.get(path)
            if not text:
                continue
            code = read_code(text)
            place = paths.join(path, "..")
            for write in code.writes:
                target = paths.join(place, write.path)
                own = write.path in code.reads and self.files.role(target) == "work"
                if own or self.files.in_task(target):
                    found.append(msgspec.structs.replace(write, path=target, how="edit" if own else write.how))
        return found

    def _judges(self, one: Read) -> bool:
        """Return whether the executed program checks work that was changed before."""
        seen = one.seen
        if not self.changed and not self.files.work(seen.writes):
            return False
        if any(self._is_own(path, one) for path in seen.executes):
            return True
        names = words_of(self.work)
        if any(part in names for program in seen.programs for part in program.split("-") if len(part) > 3):
            return True  # the program under work, e.g. `sphinx-build` if sphinx was changed
        return any(word in names for word in _IDENTIFIER.findall(seen.code))

    def _is_own(self, path: str, one: Read) -> bool:
        """Return whether the agent wrote the program, the task names it, or the working directory contains it."""
        beside = paths.join(path, "..") in {one.cwd, one.seen.cwd}
        return path in self.written or self.files.in_task(path) or beside

    def _looks_at_result(self, seen: CallEffects) -> bool:
        """Return whether the step reads back a file that the task asks for and the agent created."""
        made = self.files.made
        return any(path in made and path in self.written and self.files.in_task(path) for path in seen.reads)

    def _remember(self, effect: Effect) -> None:
        for write in effect.writes:
            if write.how == "delete":
                self.written.pop(write.path, None)
            elif write.how != "log":
                self.written[write.path] = write.new[:_MAX_KEPT] if write.new and write.how == "create" else None
        if effect.kind == "change":
            work = self.files.work(effect.writes)
            self.work.update(dict.fromkeys(write.path for write in work))
            self.changed = self.changed or any(write.how != "unknown" for write in work)


def called_in(step: RunStep) -> str:
    """Return the step's call as text, or an empty string if the step has no call."""
    return text_of_call(step.call) if step.call is not None else ""


def text_of_call(call: Event) -> str:
    """Return the call as one text: its recorded text, or else a line per argument."""
    if call.text:
        return call.text
    return "\n".join(f"{name}: {value}" for name, value in (call.arguments or {}).items())

"""The Kind protocol: one object per kind of debuggee holds what differs between Python, native and recorded programs.

An entry point of the group `dap_ai.kinds` names that object. Code that needs a part of a kind declares it as a
Protocol: the stop reader below, the tools (`tools/base.py`), the analyst (`providers/offline.py`), starting it from a
terminal (`commands/target_kinds.py`). No code asks which kind it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from dap_ai.agent import kinds
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.kinds import DEFAULT, named
from dap_ai.agent.prompts import wording
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.repeatable_run import Recalled, UnrepeatableError


class Kind(Protocol):
    """Part of a kind that the stop reader uses. Implementations inherit from it and override what differs."""

    name: str
    """Name of the kind, as in `Inspection.kind` and of the entry point."""
    languages: frozenset[str] = frozenset()
    """Languages of its source files; empty for Python, which covers everything without a kind of its own."""
    project_marks: Sequence[str] = ()
    """Files that mark the outermost folder of a project, besides `.git` and `pyproject.toml`."""
    system_folders: Sequence[str] = ()
    """Folders of the system's library sources."""
    asks: str = "Why did it stop here?"
    """Default question for a user who asks none."""
    model_tokens: int = 0
    """Maximum tokens of a first question to a model, whatever the settings allow; 0 for the settings' limit."""

    def is_library(self, path: str) -> bool:
        """Whether a source file is in one of this kind's library folders, besides those common to every kind."""
        del path
        return False

    def own_files(self, case: StopSnapshot, files: Sequence[str]) -> Sequence[str] | None:
        """Returns the files whose folders are the program's own; None to use the main script or outermost frame."""
        del case, files
        return None

    def expression_language(self, language: str) -> str:
        """Returns the language of a frame's expressions for the language of its source."""
        return language

    async def complete(self, case: StopSnapshot, debugger: Debugger) -> None:
        """Adds the program's own failure report to an inspected case. Raises NotStopped."""
        ...

    async def first_context(self, case: StopSnapshot, debugger: Debugger, budget_tokens: int) -> str:
        """Returns the Markdown description of the stop for a reader or model. Raises NotStopped."""
        ...

    def context_unread(self, case: StopSnapshot, budget_tokens: int) -> str:
        """Returns the first context of an error that was only printed, without values; empty if nothing is known."""
        del case, budget_tokens
        return ""

    def has_failed(self, case: StopSnapshot) -> bool:
        """Whether the program stopped at a failure, not at a breakpoint or a pause."""
        ...

    def occasion(self, case: StopSnapshot) -> str:
        """Returns the sentence that explains to a model why the program stopped."""
        return wording("exception" if self.has_failed(case) else "stopped")

    def instructions(self, marker: str) -> str:
        """Returns the system message of a model's conversation. `marker` fences output of the program."""
        return wording("system", marker=marker)

    def prepare(self, source: SourceFile) -> None:
        """Prepares a source file before the first question; called in a thread."""

    async def recall(self, debugger: Debugger, case: StopSnapshot) -> Recalled:
        """Reruns the program or test up to this stop. Raises UnrepeatableError, NotStopped, RequestFailed."""
        del debugger, case
        raise UnrepeatableError("a program of this kind cannot be run again")


def kind_of(case: StopSnapshot) -> Kind:
    """Returns the kind of the stopped program. Raises KindError."""
    return cast("Kind", named(case.inspection.kind))


def kind_of_language(language: str) -> Kind:
    """Returns the kind whose source is in this language."""
    return cast("Kind", kinds.of_language(language))


def kind_of_source(case: StopSnapshot) -> Kind:
    """Returns the kind by the frames' source, which is known even without an inspector. Raises KindError."""
    by_language = (kind_of_language(place.language) for place in case.places)
    return next((kind for kind in by_language if kind.name != DEFAULT), kind_of(case))

"""The Kind protocol: one object per kind of debuggee holds what differs between Python, native and recorded programs.

An entry point of the group `dap_ai.kinds` names that object. Code that needs a part of a kind declares this part as a
Protocol: the stop reader below, the tools (`tools/base.py`), the analyst (`providers/offline.py`), the start from a
terminal (`commands/target_kinds.py`). No code compares the names of kinds.
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
    """The members of a debuggee kind that the stop reader uses.

    Implementations inherit from it and override what differs.
    """

    name: str
    """Name of the kind: its entry point's name, also in `Inspection.kind`."""
    languages: frozenset[str] = frozenset()
    """Languages of the kind's source files. Empty for Python, the kind of every language that no other kind claims."""
    project_marks: Sequence[str] = ()
    """Names of files that mark a project's outermost folder, besides `.git` and `pyproject.toml`."""
    system_folders: Sequence[str] = ()
    """Folders of the system's library sources."""
    asks: str = "Why did it stop here?"
    """Question that the agent answers if the user enters no text."""
    model_tokens: int = 0
    """Maximum tokens of the first message to a model, even if the settings allow more. 0 applies the settings' limit.
    """

    def is_library(self, path: str) -> bool:
        """Whether a source file is in a library folder that only this kind has."""
        del path
        return False

    def own_files(self, case: StopSnapshot, files: Sequence[str]) -> Sequence[str] | None:
        """Returns the files whose folders belong to the program.

        None selects the main script or the outermost frame.
        """
        del case, files
        return None

    def expression_language(self, language: str) -> str:
        """Returns the language in which a frame's expressions are written, given the language of its source."""
        return language

    async def complete(self, case: StopSnapshot, debugger: Debugger) -> None:
        """Adds the native program's failure report to a snapshot that has been inspected. Raises NotStopped."""
        ...

    async def first_context(self, case: StopSnapshot, debugger: Debugger, budget_tokens: int) -> str:
        """Returns a Markdown description of the stop for a person or a model. Raises NotStopped."""
        ...

    def context_unread(self, case: StopSnapshot, budget_tokens: int) -> str:
        """Returns a Markdown description of an exception that was only printed.

        It contains no values. Empty if nothing is known about the exception.
        """
        del case, budget_tokens
        return ""

    def has_failed(self, case: StopSnapshot) -> bool:
        """Whether the program stopped because of a failure rather than at a breakpoint or a pause."""
        ...

    def occasion(self, case: StopSnapshot) -> str:
        """Returns the sentence that explains to a model why the program stopped."""
        return wording("exception" if self.has_failed(case) else "stopped")

    def instructions(self, marker: str) -> str:
        """Returns the system message for a model. `marker` encloses output of the program."""
        return wording("system", marker=marker)

    def prepare(self, source: SourceFile) -> None:
        """Parses or indexes a source file before the first question. Called in a thread."""

    async def recall(self, debugger: Debugger, case: StopSnapshot) -> Recalled:
        """Reruns the program or test until it reaches this stop.

        Raises UnrepeatableError, NotStopped, RequestFailed.
        """
        del debugger, case
        raise UnrepeatableError("a program of this kind cannot be run again")


def kind_of(case: StopSnapshot) -> Kind:
    """Returns the debuggee kind of the stopped program. Raises KindError."""
    return cast("Kind", named(case.inspection.kind))


def kind_of_language(language: str) -> Kind:
    """Returns the debuggee kind whose source files are in this language."""
    return cast("Kind", kinds.of_language(language))


def kind_of_source(case: StopSnapshot) -> Kind:
    """Returns the debuggee kind by the language of the frames' source, without an inspector. Raises KindError."""
    by_language = (kind_of_language(place.language) for place in case.places)
    return next((kind for kind in by_language if kind.name != DEFAULT), kind_of(case))

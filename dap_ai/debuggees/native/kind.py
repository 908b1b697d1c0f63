"""The kind of debuggee for native programs (C, C++, Rust).

dap_ai reads them by DAP requests, without calls or copies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dap_ai.agent.case.debuggee_kind import Kind
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.prompts import wording
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES
from dap_ai.debuggees.native.source import frame_folding
from dap_ai.protocol.contracts.debugger import Debugger

if TYPE_CHECKING:
    from dap_ai.agent.case.stop_reader import StopReader
    from dap_ai.agent.providers.offline import Analyst
    from dap_ai.agent.source.parsed import Grammar
    from dap_ai.agent.tools.base import Tool
    from dap_ai.agent.tools.report_tool import ReportTool
    from dap_ai.commands.target_kinds import Make, TargetRequest
    from dap_ai.protocol.contracts.question import Answer
    from dap_ai.settings.configuration import Resolved

_SYSTEM_PROGRAMS = ("/usr/", "/bin/", "/sbin/", "/opt/", "/lib/")
_LANGUAGES = {"c": "C", "cpp": "C++", "rust": "Rust", "go": "Go"}
_HARMLESS_SIGNALS = frozenset({"SIGSTOP", "SIGINT", "SIGTRAP"})
"""Signals that a pause or a breakpoint causes."""


class Native(Kind):
    """Native programs as a kind of debuggee: their grammar, tools, offline analyst and command-line targets.

    Implements agent.case.debuggee_kind.Kind, agent.tools.base.HasForms, commands.target_kinds.KindPort,
    agent.case.evidence.Cites, agent.providers.offline.HasAnalyst and agent.providers.investigator.HasReport.
    """

    name = "native"
    called, debugs = "a native program", "native programs"
    backends = ("lldb", "gdb")
    languages = NATIVE_LANGUAGES
    project_marks: Sequence[str] = ("Cargo.toml", "CMakeLists.txt", "compile_commands.json", "meson.build", "Makefile")
    system_folders: Sequence[str] = ("/usr/include", "/usr/local/include", "/usr/lib/gcc")
    offered = None

    def grammar(self) -> Grammar:
        """Return the grammar of C, C++ and Rust."""
        from dap_ai.debuggees.native.source.languages import GRAMMAR  # noqa: PLC0415  as below

        return GRAMMAR

    def is_library(self, path: str) -> bool:
        """Whether the file belongs to the system, the compiler or a package manager."""
        return frame_folding.is_library(path)

    def own_files(self, case: StopSnapshot, files: Sequence[str]) -> Sequence[str] | None:
        """Return the source files of the user's frames, and the executable unless it is an installed program."""
        from dap_ai.agent.case.source_roots import real_path  # noqa: PLC0415  source_roots imports the kind

        own = [frame.path for frame in case.frames if frame.user and frame.path in files]
        binary = case.inspection.binary
        if binary and not real_path(binary.path).as_posix().startswith(_SYSTEM_PROGRAMS):
            own.append(binary.path)
        return own

    def expression_language(self, language: str) -> str:
        """Return the language in which to parse expressions: the frame's, or C if the frame has no native source."""
        return language if language in NATIVE_LANGUAGES else "c"

    async def complete(self, case: StopSnapshot, debugger: Debugger) -> None:
        """Add the report that the program printed to the case: a panic, a failed assertion or a sanitizer's report."""
        from dap_ai.debuggees.native.analysis.program_reports import report_of, words_of  # noqa: PLC0415  the kind is known before it is asked

        for frame in (frame for thread in case.inspection.threads for frame in thread.frames):
            frame.name = frame_folding.clean_name(frame.name)
        case.report = report_of(case, await words_of(debugger, case.frames))

    async def first_context(self, case: StopSnapshot, debugger: Debugger, budget_tokens: int) -> str:
        """Return the first context for a model. Nothing is rerun, because native programs have no copies."""
        from dap_ai.debuggees.native.answer.native_context import first_context  # noqa: PLC0415  the kind is known before it is asked
        from dap_ai.debuggees.native.diagnoses.diagnosing import analyse  # noqa: PLC0415  the same

        del debugger
        return first_context(case, await asyncio.to_thread(analyse, case), budget_tokens)

    def has_failed(self, case: StopSnapshot) -> bool:
        """Whether the program failed, judged by its report or its signal.

        The stop reason `exception` proves nothing: lldb-dap also reports it for a pause, while gdb and core files never
        do.
        """
        fault = case.inspection.fault
        return case.report is not None or (fault is not None and fault.signal not in _HARMLESS_SIGNALS)

    def occasion(self, case: StopSnapshot) -> str:
        """Describe the stop to a model, with the program's language and what the model's tools cannot do."""
        language = _LANGUAGES.get(case.focus.language if case.focus else "", "an unknown language")
        return f"{super().occasion(case)} {wording('native', language=language)}"

    def forms(self) -> Mapping[str, Tool[Any]]:
        """Return the tools for native programs: tools of their own, and native forms of general tools."""
        from dap_ai.debuggees.native.tools.table import FORMS  # noqa: PLC0415  the kind is known before it is asked

        return FORMS

    def report(self) -> ReportTool:
        """Return the tool with which a model reports values, suspicious lines and fixes."""
        from dap_ai.agent.tools.report_tool import ReportTool  # noqa: PLC0415  only with a model

        return ReportTool()

    async def read_again(
        self, answer: Answer, case: StopSnapshot, reader: StopReader, debugger: Debugger
    ) -> Sequence[str]:
        """Read the values that the answer cites a second time."""
        from dap_ai.agent.case.evidence import values_again  # noqa: PLC0415  the kind is known before it is asked

        del case
        return await values_again(answer, reader, debugger)

    def claims(self, wanted: TargetRequest) -> bool:
        """Whether the command line's target is machine code, a core file, or a source file that must be compiled."""
        from dap_ai.debuggees.native.launch.native_program import is_native, is_source, runs_python  # noqa: PLC0415  only at a terminal

        if wanted.core is not None:
            return True
        if wanted.pid is not None:
            return not runs_python(wanted.pid)
        if wanted.module or wanted.agent or not wanted.words:
            return False
        path = Path(wanted.words[0])
        return is_source(path) or is_native(path)

    def look(self, wanted: TargetRequest, resolved: Resolved, tell: Callable[[str], None]) -> Make:
        """Prepare the command line's target: compile a source file, and warn about properties that limit answers."""
        from dap_ai.debuggees.native.launch.target import look  # noqa: PLC0415  only at a terminal

        return look(wanted, resolved, tell)

    def analyst(self) -> Analyst:
        """Return the offline analyst for native programs, which answers without a model."""
        from dap_ai.debuggees.native.answer.answer import NativeAnalyst  # noqa: PLC0415  a model does not need it

        return NativeAnalyst()


kind = Native()
"""The object behind the entry point `native` of the group `dap_ai.kinds`."""

"""Helpers for native answers: expressions in a question, why values are missing, and stops without source."""

from __future__ import annotations

import re
from pathlib import PurePath

from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.questions.asked_expressions import candidates
from dap_ai.agent.report.wording import ADVICE, HAPPENED
from dap_ai.system.texts import code

_MAX_FRAMES = 6


def notes(case: StopSnapshot, place: FramePlace | None) -> list[str]:
    """Return sentences about what limits reading: a stripped or optimised program, no debug information or source."""
    # Explains why sub-expressions, origins of values and callers' arguments are missing.
    reasons = dict.fromkeys(place.source.unparsed for place in case.places if place.source and place.source.unparsed)
    return [
        *_binary(case, place),
        *(f"The source was not parsed, so only whole variables are shown. {reason}." for reason in reasons),
        *(f"{note[0].upper()}{note[1:].rstrip('.')}." for note in case.notes if note),
    ]


def _binary(case: StopSnapshot, place: FramePlace | None) -> list[str]:
    binary = case.inspection.binary
    found: list[str] = []
    name = PurePath(binary.path).name if binary else "the program"
    if binary and binary.stripped:
        found.append(f"{code(name)} is stripped, so functions have no names: run one that is not, or install its "
                     "debug symbols (debuginfod).")  # fmt: skip
    if binary and not binary.debug_info:
        found.append(f"{code(name)} has no debug information, so there are no lines and no variables: compile with "
                     "`-g -O0` (Rust: a debug build).")  # fmt: skip
    elif binary and binary.optimised:
        found.append(f"{code(name)} is optimised, so values may be missing and lines may seem out of order: "
                     "compile with `-g -O0` to see everything.")  # fmt: skip
    if place is None and (lost := _lost(case)):
        found.append(f"The source {lost} is not on this machine: map its folder (`sourceMap` in lldb-dap's launch, "
                     "`set substitute-path` in gdb), or copy it there.")  # fmt: skip
    return found


def _lost(case: StopSnapshot) -> str:
    """Return the first source file that a frame names but that cannot be read; empty if all can be read."""
    for frame in case.frames:
        path = PurePath(frame.path)
        library = frame.path.startswith(("/usr/", "/build/", "/rustc/")) or not path.is_absolute() or "`" in path.name
        unread = case.sources.read(frame.path) is None and not case.sources.refusal(frame.path)
        if frame.line and not library and unread:
            return code(frame.path)
    return ""


def without_source(case: StopSnapshot) -> str:
    """Return the answer for a stop in which no frame has source of the user's program."""
    return "\n\n".join(filter(None, [_happened(case), _stack(case), waiting_threads(case), _next(case)]))


def _happened(case: StopSnapshot) -> str:
    fault, error, report = case.inspection.fault, case.exception, case.report
    if report:
        return f"{HAPPENED} {code(f'{report.tool}: {cut(report.message or report.kind, 300)}')}."
    if fault:
        access = f"{fault.access} of " if fault.access else ""
        where = f", at the {access}address {code(hex(fault.address))}" if fault.address is not None else ""
        is_near = fault.signal == "SIGSEGV" and fault.address is not None and 0 <= fault.address < 1 << 12
        null = " That is close to zero: a null pointer was followed." if is_near else ""
        ran = f" The instruction is {code(fault.instruction)}." if fault.instruction else ""
        reason = f": {fault.code}" if fault.code else ""
        return f"{HAPPENED} {code(fault.signal)}{reason}{where}.{null}{ran}"
    told = f"{error.type}{f': {error.message}' if error.message else ''}" if error else ""
    return f"{HAPPENED} Stopped: {told or case.stop.description or case.stop.reason}."


def _stack(case: StopSnapshot) -> str:
    if not case.frames:
        return "There is no frame in this stop."
    rows = [f"- {code(f.name)}{_at(f)}" for f in case.frames[:_MAX_FRAMES]]
    more = len(case.frames) - _MAX_FRAMES
    text = "No frame has source to look at. The stack, innermost first:\n\n" + "\n".join(rows)
    return text + (f"\n- ... {more} more" if more > 0 else "")


def _at(frame: StackFrame) -> str:
    # lldb-dap gives disassembled code without source such a path: program`function.
    known = frame.path and frame.line and "`" not in frame.path
    return f" ({PurePath(frame.path).name}:{frame.line})" if known else ""


def waiting_threads(case: StopSnapshot) -> str:
    """List the threads that wait, one per line; empty if no thread is known to wait."""
    waiting = [t for t in case.inspection.threads if t.waiting]
    rows = [f"- thread {t.ident} ({code(t.name)}) waits: {t.waiting}" + (f" {code(t.wants)}" if t.wants else "")
            for t in waiting[:_MAX_FRAMES]]  # fmt: skip
    return "Threads that wait:\n\n" + "\n".join(rows) if rows else ""


def _next(case: StopSnapshot) -> str:
    names = {f.name for f in case.frames[:2]}
    binary, fault = case.inspection.binary, case.inspection.fault
    step = "Build it with `-g -O0`, run it again and ask at the stop."
    if binary and binary.debug_info and not fault:
        step = (
            "None of the program's own functions runs here: set a breakpoint in one of them, continue, and ask there."
        )
    if fault and any(n.lstrip("_").startswith(("str", "mem", "wcs", "printf", "vfprintf", "puts")) for n in names):
        called = next(f.name for f in case.frames[:2])
        step = f"{code(called)} was given a pointer it could not follow: look at the arguments of that call. {step}"
    return f"{ADVICE} {step}"


_CODE = re.compile(r"`([^`]+)`")
_NO_NAMES = frozenset({"null", "nullptr", "nil", "none", "pointer", "segfault", "sigsegv", "print", "show", "about"})
_PATH = re.compile(r"[*&]*[A-Za-z_]\w*(?:(?:->|\.|::)[A-Za-z_]\w*|\[[^\[\]]*\])+|\*+[A-Za-z_]\w*")


def expressions_in(question: str) -> list[str]:
    """Return parts of the question that may be expressions, the most explicit first.

    They may not exist in the program.
    """
    explicit = _CODE.findall(question)
    rest = _CODE.sub(" ", question)
    paths = [text.rstrip(".") for text in _PATH.findall(rest)]
    names = [name for name in candidates(_PATH.sub(" ", rest)) if name.lower() not in _NO_NAMES]
    return list(dict.fromkeys([*explicit, *paths, *names]))[:8]

"""An index or a copy past the end of its memory: the index, the size, and the loop or the check that is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.analyst.edits import Edit
from dap_ai.agent.compiled.parsing import Expression
from dap_ai.agent.compiled.report import Report
from dap_ai.agent.native.diagnoses.memory import own_frame
from dap_ai.agent.native.diagnoses.sizes import Size, length_of, size_of
from dap_ai.agent.native.draft import Draft, bare, callee, integer, names_of, number_of, within
from dap_ai.agent.native.origins import Wanted, trace
from dap_ai.agent.native.reachability import amount, reaching, spot_of

_REPORTED = re.compile(
    r"buffer-(over|under)flow|container-overflow|out[- ]of[- ]bounds|out_of_range|stack smashing|buffer overflow"
    r"|negative-size-param|range end index|range start index",
    re.IGNORECASE,
)
_PANIC = re.compile(r"the len is (\d+) but the index is (\d+)")
_UBSAN = re.compile(r"index (-?\d+) out of bounds for type '[^']*?\[(\d+)\]")
_REGION = re.compile(r"(\d+) bytes (?:after|before|inside of|to the (?:right|left) of) (?:an? )?(\d+)-byte region")
_GLOBAL = re.compile(r"global variable '([^']+)'.*? of size (\d+)", re.DOTALL)
_LOCAL = re.compile(r"<== Memory access at offset (\d+) ")
_OBJECT = re.compile(r"\[(\d+), (\d+)\) '([^']+)'")
"""A local variable of the frame in AddressSanitizer's report, by its first offset and the one behind its last."""
_COPIES = frozenset({"strcpy", "strcat", "sprintf", "vsprintf", "gets", "stpcpy", "scanf", "sscanf", "fscanf"})
_COUNTED = frozenset(
    {"memcpy", "memmove", "memset", "strncpy", "strncat", "snprintf", "read", "recv", "fread", "fgets"}
)
_OF_A_POINTER = re.compile(
    r"(?P<type>\w+)\s*\*\s*(?P<name>\w+)\s*=.*\b[mc]alloc\(.*"
    r"(?P<size>sizeof\s*\(\s*(?:struct\s+)?(?P=type)\s*\*\s*\)|sizeof\s*\(\s*(?P=name)\s*\)|sizeof\s+(?P=name)\b(?!\s*[\[-]))"
)
"""`T *p = malloc(n * sizeof(T *))`, or `sizeof p`."""
_WILD = 1 << 24
_UNSIGNED = re.compile(r"unsigned|\bsize_t|size_type|uint|^u\d|usize")
_CLEAR = 0.6
"""The score of a suspect that explains the failure."""


def diagnose(draft: Draft) -> bool:
    """Whether the report, or an index of the line against its bound, says that it went past the end."""
    report = draft.case.report
    if report and report.tool != "terminate" and _REPORTED.search(f"{report.kind} {report.message}"):
        draft.analysis.kind = "overflow"
        _reported(draft, report)
        return True
    if not draft.signal or report:
        return False
    if _returned_astray(draft):
        return True
    for subscript in reversed([e for e in draft.expressions if e.kind == "subscript"]):
        if _explain(draft, subscript, wild=True):
            return True
    return False


def _returned_astray(draft: Draft) -> bool:
    """A `return` that led nowhere: the array that ran over the return address is the frame's own."""
    fault = draft.case.inspection.fault
    returning = bool(fault and fault.instruction.startswith("ret")) or draft.line_text(draft.place.frame.line) == "}"
    arrays = [v for v in draft.place.facts.locals if length_of(v.value)] if draft.place.facts else []
    if not returning or not arrays or draft.signal not in ("SIGSEGV", "SIGBUS", "SIGILL", "EXC_BAD_ACCESS"):
        return False
    draft.analysis.kind = "overflow"
    draft.say("The function fails when it returns: its return address was overwritten.")
    _arrays_of(draft)
    return True


def _reported(draft: Draft, report: Report) -> None:
    _region(draft, report)
    subscripts = [e for e in draft.expressions if e.kind == "subscript" and len(e.parts) > 1]
    told = _PANIC.search(report.message) or None
    said = _UBSAN.search(report.message)
    index = int(told[2]) if told else int(said[1]) if said else None
    fitting = [e for e in subscripts if index is None or amount(draft, e.parts[1]) == index]
    size = int(told[1]) if told else int(said[2]) if said else None
    done = any(_explain(draft, e, count=size) for e in reversed(fitting))
    if not done and fitting and (told or said):
        _index(draft, fitting[-1], index, size)
    elif not done and not _copies(draft) and not told and not said:
        _loops(draft, subscripts)
    if "smashing" in f"{report.kind} {report.message}":
        _arrays_of(draft)
    allocated = next((s for s in report.stacks if "allocated" in s.title), None)
    if own := own_frame(draft, allocated):
        _allocated(draft, *own)


def _region(draft: Draft, report: Report) -> None:
    access = f"The {report.access} of {report.size} bytes" if report.access and report.size else "The access"
    facts = " ".join([*report.facts, report.text])
    if found := _REGION.search(facts):
        draft.say(f"{access} is {found[1]} bytes past a block of {found[2]} bytes." if "after" in found[0] or
                  "right" in found[0] else f"{access} is outside of a block of {found[2]} bytes.")  # fmt: skip
    elif found := _GLOBAL.search(facts):
        draft.say(f"{access} is outside of the global `{found[1]}`, which has {found[2]} bytes.")
    elif (found := _LOCAL.search(facts)) and (where := _of_local(facts, int(found[1]))):
        draft.say(f"{access} {where}.")


def _of_local(facts: str, offset: int) -> str:
    """Where the access begins in the frame, by the variables around it; empty: the report lists none there.

    AddressSanitizer marks the nearest variable, which often is not the one that the code ran out of.
    """
    objects = [(int(first), int(end), name) for first, end, name in _OBJECT.findall(facts)]
    if inside := next((name for first, end, name in objects if first <= offset < end), ""):
        return f"begins in the local variable `{inside}` and ends behind it"
    before = max((each for each in objects if each[1] <= offset), key=lambda each: each[1], default=None)
    if before:
        past = offset - before[1]
        return f"begins {f'{past} bytes' if past else 'right'} behind the local variable `{before[2]}`"
    after = min((each for each in objects if each[0] > offset), default=None)
    return f"begins {after[0] - offset} bytes before the local variable `{after[2]}`" if after else ""


def _explain(draft: Draft, subscript: Expression, count: int | None = None, *, wild: bool = False) -> bool:
    """Says index and bound where the one does not fit the other; whether it did."""
    base, index = bare(subscript.parts[0]), bare(subscript.parts[1])
    number = amount(draft, index)
    size = size_of(draft, draft.place, base.text)
    bound = count if count is not None else (size.count if size else None)
    if number is None or not (number < 0 or (bound is not None and number >= bound) or (wild and number > _WILD)):
        return False
    _index(draft, subscript, number, bound, size)
    return True


def _index(
    draft: Draft, subscript: Expression, number: int | None, bound: int | None, size: Size | None = None
) -> None:
    draft.analysis.kind = "overflow"
    base, index = bare(subscript.parts[0]), bare(subscript.parts[1])
    told = draft.code(index.text) if integer(index.text) is None else f"the index is `{index.text}`"
    if draft.value(index.text) is None and integer(index.text) is None:
        told = f"`{index.text}` is `{number}`"
        for name in names_of(index):
            draft.code(name)
    draft.cite(base.text)
    draft.say(
        f"{told[:1].upper() if told[0] == 't' else told[:1]}{told[1:]}, but {_room(draft, base.text, bound, size)}."
    )
    if size and size.words:
        draft.link(size.file, size.line, "states the size of", base.text, "")
        draft.suspect(size.line, 0.4, f"`{base.text}` is {size.words}", size.file)
    _blame(draft, index, number, bound)


def _room(draft: Draft, base: str, bound: int | None, size: Size | None) -> str:
    if bound is None:
        return f"`{base}` cannot have that many elements"
    where = f" ({size.words} at {draft.spot(size.line, size.file)})" if size and size.words else ""
    if bound == 0:
        return f"`{base}` is empty{where}"
    return f"`{base}` has {bound} element{'s' if bound > 1 else ''}, the indices 0 to {bound - 1}{where}"


def _blame(draft: Draft, index: Expression, number: int | None, bound: int | None) -> None:
    names = names_of(index) or [index.text]
    spot = spot_of(draft.place)
    for name in names:
        writes = reaching(spot.unit, spot.function, name, spot.line + 1) if spot else []
        loop = next((w.line for w in writes if w.role == "loop"), 0)
        if loop:
            _loop(draft, loop, name, bound)
        else:
            trace(draft, name, Wanted(str(number), past_end=number == bound))
    top = max((s for s in draft.done().suspects), key=lambda s: s.score, default=None)
    if top and "without a value" in top.reason:
        draft.analysis.kind = "uninitialised"
        draft.say(f"It was never set: {draft.spot(top.line, top.file)} {top.reason}.")
        draft.advise("Compile with `-Wall -Wextra -O1` (or `-Wmaybe-uninitialized`): the compiler warns of it.")
    elif index.text in names and not draft.analysis.fix:
        limit = f" < {bound}" if bound else ""
        draft.advise(f"Check `{index.text}`{limit} before this line, where it may come from outside.")


def _loop(draft: Draft, line: int, name: str, bound: int | None) -> None:
    """Blames a loop's header; `<=` against the bound is the likeliest mistake of all."""
    header = draft.line_text(line)
    if wrapped := _wrapped(draft, header):
        draft.say(
            f"{draft.code(wrapped)}, so `{wrapped} - 1` of the loop's header wraps around to a very large number."
        )
        draft.suspect(line, 0.95, f"`{wrapped} - 1`, where `{wrapped}` is 0 and unsigned")
        return
    draft.link(draft.place.frame.path, line, "counts", name, draft.function.name if draft.function else "")
    if always := _never_below(draft, header, name):
        draft.say(
            f"`{always}` always holds, because `{name}` is unsigned: 1 less than 0 is the largest number of its type."
        )
        draft.suspect(line, 0.95, f"`{always}` always holds, because `{name}` is unsigned", draft.place.frame.path)
        draft.advise(f"Count down with `for ({name} = n; {name}-- > 0;)`, or with a signed type.")
        return
    found = re.search(rf"\b{re.escape(name)}\s*(<=)|(\.\.=)", header)
    if not found:
        draft.suspect(line, 0.75, f"the loop lets `{name}` go too far for what it indexes")
        return
    old, new = ("<=", "<") if found[1] else ("..=", "..")
    draft.suspect(line, 0.95, f"the loop lets `{name}` become {bound if bound is not None else 'its limit'}: "
                  f"`{old}` where `{new}` fits")  # fmt: skip
    source = draft.place.source
    if source:
        whole = source.line(line)
        at = whole.index(header) + found.start(1 if found[1] else 2)
        draft.analysis.fix = Edit(source, line, line, [whole[:at] + new + whole[at + len(old) :]])


def _never_below(draft: Draft, header: str, name: str) -> str:
    """`i >= 0` of the header, where `i` is unsigned."""
    value = draft.value(name)
    found = re.search(rf"\b{re.escape(name)}\s*>=\s*0\b|\b0\s*<=\s*{re.escape(name)}\b", header)
    return found[0] if found and value is not None and _UNSIGNED.search(value.type) else ""


def _wrapped(draft: Draft, header: str) -> str:
    """An unsigned name that is 0 and from which the header takes 1."""
    for found in re.finditer(r"([A-Za-z_][\w.>\-]*?)\s*-\s*1\b", header):
        value = draft.value(found[1])
        if value is not None and number_of(value) == 0 and _UNSIGNED.search(value.type):
            return found[1]
    return ""


def copies(draft: Draft) -> Iterator[tuple[str, int, str, str]]:
    """Calls in the files of the stack that copy without regard to a size: file, line, function and where they write."""
    for path, unit in draft.units():
        for name in sorted(_COPIES):
            yield from ((path, c.line, name, bare(c.parts[1]).text) for c in unit.calls(name) if len(c.parts) > 1)


def _loops(draft: Draft, subscripts: list[Expression]) -> None:
    """Without a size: whatever counts the index of the line."""
    for subscript in subscripts:
        number, size = amount(draft, subscript.parts[1]), size_of(draft, draft.place, bare(subscript.parts[0]).text)
        for name in names_of(subscript.parts[1]):
            draft.code(name)
        if number is not None and size and number < size.count:
            continue  # as many as were wanted: then the elements are larger than what was allocated
        _blame(draft, bare(subscript.parts[1]), amount(draft, subscript.parts[1]), None)


def _copies(draft: Draft) -> bool:
    """Says what a copying function of the line was given; whether there is one."""
    for call in (e for e in draft.expressions if e.kind == "call"):
        name = callee(call)
        if name not in _COPIES | _COUNTED or len(call.parts) < 2:
            continue
        into = bare(call.parts[1])
        size = size_of(draft, draft.place, into.text)
        room = f", which has room for {size.count}" if size else ""
        draft.cite(into.text)
        draft.say(f"`{name}` writes to `{into.text}`{room}{_given(draft, call)}.")
        report = draft.case.report
        if name in _COUNTED and size and report and report.size and report.size <= size.count:
            draft.say(f"That much would fit: `{into.text}` itself lies outside.")
            _loops(draft, [e for e in within(into) if e.kind == "subscript"])
            return True
        draft.suspect(draft.place.frame.line, 0.7, f"`{name}` writes more than `{into.text}` can hold")
        if size and size.words:
            draft.suspect(size.line, 0.65, f"`{into.text}` is {size.words}", size.file)
        if name in _COPIES:
            draft.advise(f"Use a function that takes the size of `{into.text}` (`snprintf`), or allocate more first.")
        return True
    return False


def _given(draft: Draft, call: Expression) -> str:
    told: list[str] = []
    for part in call.parts[2:]:
        value = draft.value(bare(part).text)
        if value is None:
            continue
        draft.cite(bare(part).text)
        length = f" of {value.length} characters and its final zero" if value.length and value.kind != "int" else ""
        told.append(f"{draft.code(bare(part).text)}{length}")
    return f": {', '.join(told)}" if told else ""


def _arrays_of(draft: Draft) -> None:
    """Stack smashing shows when the function returns: the small arrays of its frame, and who writes to them."""
    facts = draft.place.facts
    arrays = [v for v in facts.locals if length_of(v.value) is not None] if facts else []
    for variable in arrays:
        draft.say(f"{draft.code(variable.name)}, an array of {length_of(variable.value)}, lies in this frame.")
        for name in sorted(_COPIES | _COUNTED):
            for call in draft.unit.calls(name) if draft.unit and draft.function else ():
                inside = draft.function and draft.function.first <= call.line <= draft.function.last
                if inside and any(variable.name == bare(p).text for p in call.parts[1:2]):
                    draft.suspect(call.line, 0.85, f"`{name}` writes to `{variable.name}` without checking its size")
    draft.advise("Build with `-fsanitize=address` and run again: it stops at the exact write.")


def _allocated(draft: Draft, file: str, line: int, name: str) -> None:
    code = draft.line_text(line, file)
    draft.link(file, line, "allocates", "", name)
    source = draft.case.sources.read(file)
    found = re.search(r"\bmalloc\(strlen\((\w+)\)\)", code)
    if found and source:
        draft.suspect(line, 0.95, f"leaves no room for the zero at the end of `{found[1]}`", file)
        new = source.line(line).replace(found[0], f"malloc(strlen({found[1]}) + 1)")
        draft.analysis.fix = Edit(source, line, line, [new])
    else:
        draft.say(f"The block was allocated at {draft.spot(line, file)}, in `{name}`: `{code}`.")
        pointer = _OF_A_POINTER.search(code)
        if pointer and source:
            size = pointer["size"]
            reason = f"`{size}` is the size of a pointer, not of what `{pointer['name']}` points to"
            draft.suspect(line, 0.95, reason, file)
            whole, right = source.line(line), f"sizeof *{pointer['name']}"
            draft.analysis.fix = Edit(source, line, line, [whole.replace(size, right)])
        else:
            clear = any(suspect.score >= _CLEAR for suspect in draft.done().suspects)
            score = 0.5 if clear else 0.55  # whether the size or the use is wrong was not evaluated
            draft.suspect(line, score, "allocates the block, which ends before the access", file)

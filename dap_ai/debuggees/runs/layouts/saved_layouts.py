"""The user's layouts: TOML files in the folder `layouts` beside the settings. One reader uses all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from dap_ai.debuggees.runs.layouts.layout_model import BadLayout, Layout, parse, search, written
from dap_ai.debuggees.runs.layouts.layout_reader import read
from dap_ai.debuggees.runs.readers.base import Glance, Reader, glance
from dap_ai.debuggees.runs.readers.json_shapes import array
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Problem, Ref, Run
from dap_ai.settings import toml_files
from dap_ai.settings.configuration import user_file

_MOST = 200
_SURE = 0.6
"""Confidence of a layout that finds its events. Every built-in reader that recognizes its format has more."""
_LEAST_FITTING = 0.5
"""Minimum share of a file's first events that must have the layout's fields, 0 to 1."""


def folder(environ: Mapping[str, str]) -> Path | None:
    """Return the layouts folder, or None if the user has no settings (`DAP_AI_CONFIG` is the null device)."""
    if environ.get("DAP_AI_CONFIG") == os.devnull:
        return None
    return user_file(environ).parent / "layouts"


def save(layout: Layout, name: str, environ: Mapping[str, str], *, replace: bool = False) -> Path:
    """Save a layout under a name and return the path of the file.

    Raises BadLayout if the name is invalid or taken, or the file cannot be written.
    """
    place = folder(environ)
    if place is None:
        raise BadLayout("there is no folder for layouts: DAP_AI_CONFIG is the null device")
    if not name or len(name) > 60 or not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise BadLayout(f"{name!r} is no name for a layout: letters, digits, - and _, at most 60")
    file = place / f"{name}.toml"
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        with file.open("w" if replace else "x", encoding="utf-8") as opened:
            opened.write(written(msgspec.structs.replace(layout, name=name)))
    except FileExistsError as error:
        raise BadLayout(f"{file} is there already") from error
    except OSError as error:
        raise BadLayout(f"{file} cannot be written: {error.strerror}") from error
    return file


def layouts(environ: Mapping[str, str]) -> Iterator[Layout | str]:
    """Yields the saved layouts, sorted by name. For a layout that cannot be used, yields an error message."""
    place = folder(environ)
    files = sorted(place.glob("*.toml"))[:_MOST] if place is not None and place.is_dir() else []
    yield from map(_loaded, files)


def _loaded(file: Path) -> Layout | str:
    try:
        return load(file)
    except BadLayout as error:
        return str(error)


def load(file: Path) -> Layout:
    """Return the layout in a file. Raises BadLayout if the layout is invalid."""
    try:
        return parse(toml_files.read(file), file)
    except toml_files.BadFile as error:
        raise BadLayout(str(error)) from error


def _sniff(path: Path) -> tuple[float, str]:
    seen = glance(path)
    if seen.kind not in ("document", "lines"):
        return 0.0, ""
    kept = layouts(os.environ)
    found = max(((_fits(one, seen), one.name) for one in kept if isinstance(one, Layout)), default=(0.0, ""))
    if found[0] < _LEAST_FITTING:
        return 0.0, "no layout of yours fits"
    return _SURE + found[0] / 10, f"your layout {found[1]!r} fits"


def _fits(layout: Layout, seen: Glance) -> float:
    """Return the share of a file's first events that have the layout's role, text or tool, 0 to 1."""
    if layout.kind != ("lines" if seen.kind == "lines" else "document"):
        return 0.0
    values = seen.rows if seen.kind == "lines" else [seen.value]
    found = [event for value in values for event in _events(layout, value)][:50]
    return sum(_is_event(layout, event) for event in found) / len(found) if found else 0.0


def _events(layout: Layout, value: object) -> list[object]:
    found = search(layout.events, value)
    return [event for event in (array(found) or [found]) if isinstance(event, dict)]


def _is_event(layout: Layout, event: object) -> bool:
    role = search(layout.fields.role, event)
    if layout.fields.role:
        return isinstance(role, str) and role in layout.roles
    named = (layout.fields.text, layout.fields.reasoning, layout.calls.each, layout.calls.tool)
    return any(search(expression, event) not in (None, "", []) for expression in named)


def _read(path: Path) -> Run:
    kept = list(layouts(os.environ))
    seen = glance(path)
    usable = sorted((one for one in kept if isinstance(one, Layout)), key=lambda one: -_fits(one, seen))
    if not usable:
        raise CannotRead(f"{path}: no layout is kept")
    found = read(path, usable[0])
    run = found.run
    if found.missed:
        share = found.reached / max(found.total, 1)
        most = ", ".join(f"{place} ({chars})" for place, chars in found.missed[:5])
        told = f"the layout {usable[0].name!r} reaches {share:.1%} of the text; the most is missed at {most}"
        run.problems = [*run.problems, Problem(Ref(), told)]
    run.problems = [*run.problems, *(Problem(Ref(), words) for words in kept if isinstance(words, str))]
    return run


reader = Reader("layout", "what a layout of your own describes (dap-ai run layout)", _sniff, _read)

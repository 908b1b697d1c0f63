"""The page: head, task, strip, findings, tree, steps."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

from dap_ai.runs.analysis.facts import Analysis, Node
from dap_ai.runs.analysis.tree import opens_state
from dap_ai.runs.export.encoding import name_of
from dap_ai.runs.export.page.markup import Markup, joined, tag
from dap_ai.runs.export.page.steps import Found, all_events, found_in
from dap_ai.runs.export.words import first_line, length_of_time, place, steps_range, what
from dap_ai.runs.gist import task_of
from dap_ai.runs.model import Run, Step, steps_of

_SHORT_TASK = 400
_MOST_LINKS = 12
_SEARCH = "Search the steps (/)"
_KEYS = (
    ("/", "search"),
    ("j k", "next, previous step"),
    ("o", "open or close it"),
    ("a", "open or close all"),
    ("c", "only steps that change"),
    ("Esc", "all steps again"),
)


def exported(run: Run, analysis: Analysis) -> dict[str, bytes]:
    """One file, `run.html`."""
    return {"run.html": document(run, analysis).encode("utf-8")}


def document(run: Run, analysis: Analysis) -> str:
    """The page as text."""
    found = found_in(analysis)
    main = tag(
        "main",
        {},
        _task(run),
        _strip(run, analysis, found),
        _findings(run, analysis),
        _toolbar(),
        tag("section", {"id": "steps", "aria-label": "steps"}, *all_events(run, found)),
        tag("p", {"id": "nothing", "hidden": True}, "No step matches."),
        _keys(),
    )
    body = tag("body", {}, _header(run), tag("div", {"class": "columns"}, _tree(analysis), main), _script())
    return "<!doctype html>\n" + tag("html", {"lang": "en"}, _head(run), body) + "\n"


@lru_cache(maxsize=2)
def _asset(name: str) -> Markup:
    return Markup((files("dap_ai.runs.export.page") / name).read_text(encoding="utf-8"))


def _digest(content: str) -> str:
    return b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _head(run: Run) -> Markup:
    """The policy lets run the page's one script and its one style sheet, known by their hashes, and nothing else."""
    style = _asset("page.css")
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(_asset('page.js'))}'; style-src 'sha256-{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    metas = [
        {"charset": "utf-8"},
        {"http-equiv": "Content-Security-Policy", "content": policy},
        {"name": "viewport", "content": "width=device-width, initial-scale=1"},
        {"name": "color-scheme", "content": "light dark"},
        {"name": "referrer", "content": "no-referrer"},
    ]
    return tag(
        "head", {}, *(tag("meta", {**meta}) for meta in metas), tag("title", {}, _title(run)), tag("style", {}, style)
    )


def _script() -> Markup:
    return tag("script", {}, _asset("page.js"))


def _title(run: Run) -> str:
    return f"{name_of(run)}: {run.outcome.verdict}"


def _header(run: Run) -> Markup:
    model = run.agents[0].model if run.agents else ""
    cost = "" if run.cost_usd is None else f"${run.cost_usd:.2f}"
    subs = f"{len(run.agents) - 1} sub-agents" if len(run.agents) > 1 else ""
    facts = [run.format, model, f"{run.steps} steps", subs, cost, length_of_time(run.seconds)]
    return tag(
        "header",
        {},
        tag("h1", {}, name_of(run)),
        tag("span", {"class": f"verdict v-{run.outcome.verdict}"}, run.outcome.verdict),
        tag("span", {"class": "facts"}, " · ".join(part for part in facts if part)),
    )


def _task(run: Run) -> Markup:
    outcome = run.outcome
    parts: list[str] = []
    if run.task:
        is_open = len(run.task) <= _SHORT_TASK
        summary = tag("summary", {}, "Task", tag("span", {"class": "what"}, first_line(task_of(run.task), 160)))
        parts.append(tag("details", {"class": "task", "open": is_open}, summary, tag("pre", {}, run.task)))
    if outcome.words:
        ref = tag("code", {"class": "ref"}, place(outcome.ref)) if outcome.ref else ""
        parts.append(tag("p", {"class": "outcome"}, tag("b", {}, "Outcome "), outcome.words, " ", ref))
    return joined(*parts)


def _strip(run: Run, analysis: Analysis, found: dict[int, Found]) -> Markup:
    """A cell a step, under the name of its stage."""
    steps = {step.number: step for step in steps_of(run)}
    stages = [(stage.stage, stage.first, stage.last) for stage in analysis.stages] or [("steps", 1, run.steps)]
    parts = [
        tag(
            "div",
            {"class": "stage"},
            tag(
                "span",
                {"class": "name"},
                f"{name} ",
                tag("small", {}, steps_range(first, last)),
            ),
            tag("div", {"class": "cells"}, *_cells(first, last, steps, found)),
        )
        for name, first, last in stages
    ]
    return tag("nav", {"class": "strip", "aria-label": "stages"}, *parts)


def _cells(first: int, last: int, steps: dict[int, Step], found: dict[int, Found]) -> Iterator[Markup]:
    numbers = list(steps)
    for number in numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]:
        about = found.get(number)
        kind = about.effect.kind if about and about.effect else ""
        failed = bool(about and about.check and about.check.ok is False)
        classes = " ".join(part for part in (f"k-{kind}" if kind else "", "failed" if failed else "") if part)
        flags = f" [{', '.join(about.patterns)}]" if about and about.patterns else ""
        told = f"{number} {kind}: {first_line(what(steps[number]), 100)}{flags}"
        yield tag(
            "a", {"href": f"#s{number}", "class": classes + (" flagged" if flags else ""), "title": told}, str(number)
        )


def _findings(run: Run, analysis: Analysis) -> Markup:
    parts: list[str] = []
    if analysis.patterns:
        rows = [_row(pattern.name, pattern.text, pattern.steps) for pattern in analysis.patterns]
        parts.append(tag("section", {"class": "findings"}, tag("h2", {}, "Patterns"), tag("ul", {}, *rows)))
    if analysis.checks:
        rows = [
            _row(
                "ok" if check.ok else "failed" if check.ok is False else "unclear",
                f"{check.runner or check.kind}: {check.summary or check.error or 'no summary'}",
                [check.step],
            )
            for check in analysis.checks
        ]
        is_open = len(rows) <= 8
        summary = tag("summary", {}, f"Checks ({len(rows)})")
        parts.append(tag("details", {"class": "findings", "open": is_open}, summary, tag("ul", {}, *rows)))
    if run.problems:
        problems = [
            tag("li", {}, problem.text, " ", tag("code", {"class": "ref"}, place(problem.ref)))
            for problem in run.problems
        ]
        summary = tag("summary", {}, f"Problems in the files ({len(problems)})")
        parts.append(tag("details", {"class": "findings"}, summary, tag("ul", {}, *problems)))
    return joined(*parts)


def _row(name: str, said: str, steps: Sequence[int]) -> Markup:
    links = [joined(" ", tag("a", {"href": f"#s{number}"}, str(number))) for number in steps[:_MOST_LINKS]]
    return tag("li", {"class": f"f-{name}"}, tag("b", {}, name), " ", said, *links)


def _tree(analysis: Analysis) -> Markup:
    """A line a step; those that look stand, further in, under the state that they look at."""
    if not analysis.tree:
        return Markup("")
    states = {effect.step for effect in analysis.effects if opens_state(effect)}
    lines = [_node(node, is_state=node.step in states) for node in analysis.tree]
    tree = tag("details", {"open": True}, tag("summary", {}, "Tree"), tag("ol", {}, *lines))
    return tag("aside", {"aria-label": "tree"}, tree)


def _node(node: Node, *, is_state: bool) -> Markup:
    outcome = tag("span", {"class": "came"}, f"→ {first_line(node.outcome, 80)}") if node.outcome else ""
    link = tag(
        "a",
        {"href": f"#s{node.step}", "title": first_line(f"{node.intent} → {node.outcome}", 300)},
        tag("span", {"class": "mark"}, "◆" if is_state else "│"),
        tag("b", {}, str(node.step)),
        tag("span", {"class": "intent"}, first_line(node.intent, 100) or node.kind),
        outcome,
    )
    return tag("li", {"class": f"k-{node.kind}" + (" state" if is_state else "")}, link)


def _toolbar() -> Markup:
    return tag(
        "div",
        {"class": "toolbar", "role": "search"},
        tag(
            "input",
            {"type": "search", "id": "search", "placeholder": "Search the steps  ( / )", "aria-label": "Search"},
        ),
        tag("output", {"id": "count"}),
        tag("button", {"type": "button", "id": "changes", "aria-pressed": "false"}, "Changes only"),
        tag("button", {"type": "button", "id": "all"}, "Open all"),
    )


def _keys() -> Markup:
    parts = [joined(tag("kbd", {}, key), " ", meaning, "  ") for key, meaning in _KEYS]
    return tag("footer", {}, *parts)

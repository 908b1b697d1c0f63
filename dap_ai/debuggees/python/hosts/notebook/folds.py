"""Folds the evidence below an offline answer in a notebook."""

from __future__ import annotations

import re

from dap_ai.agent.report.wording import ADVICE, AGAIN, CAUSE, HAPPENED, WHY, name_of

_LEAD = re.compile(r"\*\*([^*]+)[.:]\*\*|\*\S")
_EVIDENCE = tuple(map(name_of, (HAPPENED, WHY, AGAIN)))


def folded(text: str) -> str:
    """Returns the answer with its evidence in one `<details>` element; unchanged if the answer states no cause."""
    if f"**{name_of(CAUSE)}" not in text:
        return text
    before, inside, behind, names = list[str](), list[str](), list[str](), list[str]()
    rows = before
    for line in text.splitlines():
        if lead := _LEAD.match(line):
            name = lead[1] or ""
            rows = inside if name in _EVIDENCE else behind if inside else before
            names += [name] if rows is inside else []
        rows.append(line)
    if not inside:
        return text
    head = ", ".join(names).capitalize()
    return "\n".join([*before, f"<details><summary>{head}</summary>", "", *inside, "", "</details>", "", *behind])


def advice_of(answer: str) -> str:
    """Returns the answer's recommendation without its heading."""
    rows, is_in = list[str](), False
    for line in answer.splitlines():
        if _LEAD.match(line):
            is_in = line.startswith(ADVICE)
        if is_in:
            rows.append(line.removeprefix(ADVICE).lstrip() if line.startswith(ADVICE) else line)
    return "\n".join(rows).strip()

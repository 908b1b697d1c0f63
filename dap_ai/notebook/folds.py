"""What an offline answer rests on, folded below it in a notebook: a click shows it. Pure."""

from __future__ import annotations

import re

from dap_ai.agent.analyst.wording import AGAIN, CAUSE, HAPPENED, WHY, name_of

_LEAD = re.compile(r"\*\*([^*]+)[.:]\*\*|\*\S")
_EVIDENCE = tuple(map(name_of, (HAPPENED, WHY, AGAIN)))


def folded(text: str) -> str:
    """The answer, with its evidence in one `<details>`; as it is where there is no cause that the evidence is for."""
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

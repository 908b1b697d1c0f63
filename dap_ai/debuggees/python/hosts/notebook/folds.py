"""Folds the evidence below an offline answer in a notebook."""

from __future__ import annotations

from typing import Any

_EVIDENCE = {"unproved": "changes that pass", "happened": "what happened", "why": "why", "rerun": "run again"}
"""Kinds of evidence sections, each with its name."""


def folded(sections: list[dict[str, Any]]) -> str:
    """Returns an answer with its evidence in one `<details>` element; with nothing folded if it states no cause."""
    hidden = _EVIDENCE if any(section["kind"] == "cause" for section in sections) else {}
    rows = [section["text"] for section in sections if section["kind"] not in hidden]
    inside = [section["text"] for section in sections if section["kind"] in hidden]
    if inside:
        names = dict.fromkeys(hidden[section["kind"]] for section in sections if section["kind"] in hidden)
        head = ", ".join(names).capitalize()
        details = [f"<details><summary>{head}</summary>", *inside, "</details>"]
        at = len(rows) - (sections[-1]["kind"] == "note")
        rows[at:at] = details
    return "\n\n".join(rows)


def advice_of(sections: list[dict[str, Any]]) -> str:
    """Returns the answer's recommendation and what was tried, without the heading."""
    parts = [section["text"] for section in sections if section["kind"] in ("advice", "rivals", "effort")]
    return "\n\n".join(parts).replace("**Recommendation.**", "", 1).strip()

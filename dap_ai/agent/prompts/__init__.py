"""Texts for a model, one Markdown file per occasion, with `{name}` for each inserted value.

Every sentence addressed to a model is in one of these files, never in code.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def wording(name: str, **values: str) -> str:
    """Returns the text of `NAME.md` with its values. Values are inserted unchanged and may contain braces."""
    text = _read(name)
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return text


@cache
def _read(name: str) -> str:
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()

"""Texts that a model reads, as files: one Markdown file per occasion, `{name}` where a value goes.

Every sentence addressed to a model is in one of these files, never in code. A value is inserted as it is.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def wording(name: str, **values: str) -> str:
    """The text of `NAME.md` with its values. A value is inserted as it is: it may hold braces."""
    text = _read(name)
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return text


@cache
def _read(name: str) -> str:
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()

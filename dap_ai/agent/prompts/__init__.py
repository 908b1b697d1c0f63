"""Texts sent to a model: one Markdown file per occasion, with a `{name}` placeholder for each inserted value.

Every sentence addressed to a model is in one of these files, never in code.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def wording(name: str, **values: str) -> str:
    """Returns the text of the file `NAME.md` with values inserted.

    A value is inserted unchanged and may contain braces.
    """
    text = _read(name)
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return text


@cache
def _read(name: str) -> str:
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()

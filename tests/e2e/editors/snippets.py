"""The snippets of docs/editors.md, so that what a reader pastes is what the tests run."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"
_HEADING = re.compile(r"^## +(.*)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections(page: Path = DOCS / "editors.md") -> dict[str, str]:
    """The text of each section of the page, by its heading."""
    _, *parts = _HEADING.split(page.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def snippets(heading: str, language: str) -> list[str]:
    """The code of this language in the sections whose heading begins so, in order."""
    found = [text for name, text in sections().items() if name.startswith(heading)]
    assert found, f"docs/editors.md has no section {heading}"
    return [code for text in found for kind, code in _BLOCK.findall(text) if kind == language]

"""Which expressions of C, C++ or Rust a question names."""

from __future__ import annotations

import re

from dap_ai.agent.analyst.questions import candidates

_CODE = re.compile(r"`([^`]+)`")
_NO_NAMES = frozenset({"null", "nullptr", "nil", "none", "pointer", "segfault", "sigsegv", "print", "show", "about"})
_PATH = re.compile(r"[*&]*[A-Za-z_]\w*(?:(?:->|\.|::)[A-Za-z_]\w*|\[[^\[\]]*\])+|\*+[A-Za-z_]\w*")


def expressions_in(question: str) -> list[str]:
    """Expressions that the question may name, most explicit first; whether they exist is for the caller to see."""
    explicit = _CODE.findall(question)
    rest = _CODE.sub(" ", question)
    paths = [text.rstrip(".") for text in _PATH.findall(rest)]
    names = [name for name in candidates(_PATH.sub(" ", rest)) if name.lower() not in _NO_NAMES]
    return list(dict.fromkeys([*explicit, *paths, *names]))[:8]

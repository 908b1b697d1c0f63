"""Finds the names and keys that are most similar to a missing name or key."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable

from dap_ai.agent.case.value_texts import MISSING, literal_in
from dap_ai.system.texts import code


def near(name: str, names: Iterable[str], count: int = 2) -> list[str]:
    """Returns the names most similar to `name`, best first.

    Names that differ only in case, blanks, `_` or `-` come before all others.
    """
    names = list(dict.fromkeys(n for n in names if n != name))
    folded = name.strip().casefold().replace("_", "").replace("-", "")
    same = [n for n in names if n.strip().casefold().replace("_", "").replace("-", "") == folded]
    close = difflib.get_close_matches(name, names, n=count + 1, cutoff=0.6)
    parts = [
        n for n in names if len(folded) >= 4 and (folded in n.casefold() or (n.casefold() in folded and len(n) >= 4))
    ]
    return list(dict.fromkeys([*same, *close, *parts]))[:count]


def near_key(key: str, keys: list[str]) -> str:
    """Describes the key most similar to a missing key, and the difference; empty if no key is similar.

    All keys are given as their `repr`.
    """
    wanted = literal_in(key)
    if wanted is MISSING:
        return ""
    for other in keys:
        found = literal_in(other)
        if found is MISSING:
            continue
        if type(found) is not type(wanted) and str(found) == str(wanted):
            return f"there is {code(other)} ({type(found).__name__}, not {type(wanted).__name__})"
        if found == f"\ufeff{wanted}":
            return f'there is {code(other)}, with a byte order mark: read the file with `encoding="utf-8-sig"`'
        if isinstance(wanted, str) and isinstance(found, str) and wanted.strip().casefold() == found.strip().casefold():
            how = "blanks" if wanted.casefold() != found.casefold() else "case"
            return f"there is {code(other)}, which differs in {how} only"
    matches = near(str(wanted), [str(ast.literal_eval(k)) for k in keys if k[:1] in "'\""], 1)
    return f"the nearest key is {code(repr(matches[0]))}" if matches else ""

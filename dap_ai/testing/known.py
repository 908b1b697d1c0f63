"""What is known of a failure before anything is analysed: for where no time was left, or nobody answers."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator, Mapping
from typing import Any

from dap_ai.user_code import is_user_path

NO_TIME = "There was no time for more: --ask-time SECONDS."
_MAX_CALLS = 3
_MAX_CHARS = 160


def known(found: Mapping[str, Any], why: str, root: str) -> dict[str, Any]:
    """Fields of a finding that `findings.where` has begun, as `findings.told` gives them, and `text`.

    The suspects are where the user's frames stand, innermost first. `why`: a sentence about what is missing.
    """
    rows = [row for row in found["frames"] if is_user_path(row["file"])] or [found["stopped"]]
    text = "\n".join([*_lines(found["exception"], rows, root), why])
    claims = {"root_cause": "none", "verified": False, "recommended": False, "guess": False}
    places = dict.fromkeys(f"{row['file']}:{row['line']}" for row in rows if row["file"])
    return {"answer": text, "text": text, "suspects": list(places), "claims": claims, "diff": "", "complete": False}


def _lines(exception: Mapping[str, str], rows: list[dict[str, Any]], root: str) -> Iterator[str]:
    """What has failed; pytest's message of an assertion has the values that were compared."""
    message = exception["message"].partition("\n")[0]
    words = exception["type"] + (f": {message}" if message else "")
    yield f"`{words[:_MAX_CHARS]}` {_at(rows[0], root)}."
    if code := linecache.getline(rows[0]["file"], rows[0]["line"]).strip():
        yield f"    {rows[0]['line']}  {code[:_MAX_CHARS]}"
    callers = [_at(row, root) for row in rows[1 : 1 + _MAX_CALLS]]
    if callers:
        yield f"Called {', which was called '.join(callers)}."


def _at(row: Mapping[str, Any], root: str) -> str:
    file: str = row["file"]
    short = file[len(root) + 1 :] if file.startswith(root + os.sep) else file
    return f"at `{short}:{row['line']}`, in `{row['function']}`"

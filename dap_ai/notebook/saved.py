"""The notebook's file as it was last saved: the only place where a kernel can see what the cells say now."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

_MAX_BYTES = 50_000_000


def saved_cells(names: Mapping[str, Any]) -> dict[str, str] | None:
    """Texts of the code cells by their ids, in order; None: this kernel does not know its file, or it has no ids.

    `names` is the user's namespace: VS Code puts the file's name there, Jupyter's server into the environment.
    """
    path = names.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or ""
    if not isinstance(path, str) or not path.endswith(".ipynb"):
        return None
    try:
        if os.stat(path).st_size > _MAX_BYTES:  # noqa: PTH116  what is named may be anything
            return None
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            cells: list[dict[str, Any]] = json.load(file)["cells"]
        rows = [(c["id"], c["source"]) for c in cells if c.get("cell_type") == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {cell_id: text if isinstance(text, str) else "".join(text) for cell_id, text in rows}

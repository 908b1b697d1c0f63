"""The injector's entry to the inspector: takes a query in base64 and returns the reply."""

from __future__ import annotations

import binascii

from .frame_inspector import inspect
from .jsons import dumps, loads
from .stopped import folder, located

MAGIC = "dap_ai:"
"""The start of every reply; other texts are errors from pydevd."""


def visit(query: str) -> str:
    """Runs an inspection: base64(JSON of a Query) in, MAGIC + base64(JSON of an Inspection) out.

    For an error, returns MAGIC + "!" + its type and text.
    """
    try:
        wanted = loads(binascii.a2b_base64(query))
        frames, exc = located([frame["frame_id"] for frame in wanted["frames"]])
        found = inspect(frames, exc, wanted)
        reply = dumps(dict(found, cwd=folder) if folder else found)
        return MAGIC + binascii.b2a_base64(reply, newline=False).decode("ascii")
    except Exception as error:
        return MAGIC + "!" + type(error).__name__ + ": " + str(error.args[0] if error.args else "")[:200]

"""The injector's entry point for inspections: takes a query in base64 and returns the reply."""

from __future__ import annotations

import binascii

from .frame_inspector import inspect
from .jsons import dumps, loads
from .stopped import folder, located

MAGIC = "dap_ai:"
"""The start of every reply of the injector; any other text is an error from pydevd."""


def visit(query: str) -> str:
    """Runs an inspection: takes base64(JSON of a Query), returns MAGIC + base64(JSON of an Inspection).

    If the inspection fails, returns MAGIC + "!" + the error's type and text.
    """
    try:
        wanted = loads(binascii.a2b_base64(query))
        frames, exc = located([frame["frame_id"] for frame in wanted["frames"]])
        found = inspect(frames, exc, wanted)
        reply = dumps(dict(found, cwd=folder) if folder else found)
        return MAGIC + binascii.b2a_base64(reply, newline=False).decode("ascii")
    except Exception as error:
        return MAGIC + "!" + type(error).__name__ + ": " + str(error.args[0] if error.args else "")[:200]

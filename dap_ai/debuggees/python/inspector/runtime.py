"""What the injector asks the inspector by: a query in base64, and its answer."""

from __future__ import annotations

import binascii

from .frame_inspector import inspect
from .jsons import dumps, loads
from .stopped import folder, located

MAGIC = "dap_ai:"
"""Opens every reply: what does not begin so is an error text of pydevd."""


def visit(query: str) -> str:
    """base64(JSON of a Query) in; MAGIC + base64(JSON of an Inspection) out, or MAGIC + "!" + what went wrong."""
    try:
        wanted = loads(binascii.a2b_base64(query))
        frames, exc = located([frame["frame_id"] for frame in wanted["frames"]])
        found = inspect(frames, exc, wanted)
        reply = dumps(dict(found, cwd=folder) if folder else found)
        return MAGIC + binascii.b2a_base64(reply, newline=False).decode("ascii")
    except Exception as error:
        return MAGIC + "!" + type(error).__name__ + ": " + str(error.args[0] if error.args else "")[:200]

"""Whether a program overloads unary `&`, by the names in its debug information: no debugger lists operators."""

from __future__ import annotations

import asyncio
import re
from functools import lru_cache
from typing import Any, cast

from dap_ai.backends.native.elf import debug_names
from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

_MAX_MODULES = 200
_SYSTEM = re.compile(r"/(?:usr|lib|lib32|lib64)/|\[")
_ADDRESS_OF = re.compile(rb"_Z[^\0]{0,1000}?ad(?=[E\dNRO])")
"""`ad` is unary `&` in a mangled name, if it is not part of a name: those stand behind their lengths."""
_NAME = re.compile(rb"\d+")


async def overloads_address(request: Request) -> bool:
    """Whether a module of the program's own has such an operator, or hides whether. Raises NotStopped."""
    try:
        body = await request("modules", {"startModule": 0, "moduleCount": _MAX_MODULES})
    except NotStopped:
        raise
    except RequestFailed:
        return True
    paths = [str(row.get("path") or "") for row in cast("list[dict[str, Any]]", body.get("modules", []))]
    own = [path for path in paths if path.startswith("/") and not _SYSTEM.match(path)]
    return not own or any([await asyncio.to_thread(_names_it, path) for path in own])


@lru_cache(maxsize=64)
def _names_it(path: str) -> bool:
    names = debug_names(path)
    return names is None or any(map(_is_operator, _ADDRESS_OF.finditer(names)))


def _is_operator(found: re.Match[bytes]) -> bool:
    """Whether the `ad` at its end lies outside of each name that it holds."""
    mangled, at = found[0], 2
    while number := _NAME.search(mangled, at):
        at = number.end() + int(number[0])
        if at > len(mangled) - 2:
            return False
    return True

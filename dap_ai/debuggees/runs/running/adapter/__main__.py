"""Starts debugpy's adapter for an agent's own Python, with ports that accept only the current user.

    python adapter ARGUMENTS...     replaces debugpy's folder `adapter`; DAP_AI_ADAPTER_OF is debugpy's own folder

Runs in the agent's Python, 3.8 and newer: standard library, debugpy, and two files of dap_ai.
"""

import contextlib
import os
import runpy
import socket
import sys
import types
from typing import Any

_STAY_S = 10.0
_OURS = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))


def _guard() -> None:
    package = types.ModuleType("dap_ai")
    package.__path__ = [_OURS]  # the real __init__ needs a newer Python
    sys.modules["dap_ai"] = package
    runpy.run_path(os.path.join(_OURS, "backends", "debugpy", "port_guard.py"))["guard_users"]()


def _stay() -> None:
    """Keep the connection that reports the adapter's port open until the receiver has checked the adapter's user."""
    from debugpy.common import sockets as untyped

    sockets: Any = untyped
    plain = sockets.close_socket

    def close_socket(sock: Any) -> None:
        sockets.close_socket = plain
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_WR)
            sock.settimeout(_STAY_S)
            sock.recv(1)
        plain(sock)

    sockets.close_socket = close_socket


if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.environ.pop("DAP_AI_ADAPTER_OF"))
    __import__("debugpy")  # from this path, which is used for no other import
    del sys.path[0]
    _guard()
    _stay()
    runpy.run_module("debugpy.adapter", run_name="__main__", alter_sys=True)

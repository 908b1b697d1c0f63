"""Controls who may connect to the ports of debugpy's adapter; runs in the adapter's process, with shim.py.

debugpy listens on loopback for clients (editors whose session is that of a child process), for the launcher, and for
debuggees. Every user of the machine can connect there, and a client may run any code in any process of ours. This
module accepts only:

    client      our user, and sends the key that dap_ai passed to this adapter in its environment, and a line end
    launcher    our user
    debuggee    our user; if we are root, also the user of a program that we debug

The process of an agent whose own Python is debugged also uses this module (debuggees/runs/running/adapter), so it works
with Python 3.8 and later. A connection's user is known on Linux only (transport/peer_users.py). On other systems the
key protects against foreign clients, and debugpy's own access token, which a debuggee must send, against foreign
debuggees.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import socket
import threading
from typing import Any, Callable

KEY_ENV = "DAP_AI_ADAPTER_KEY"
_KEY_S = 5.0
_CLIENT, _DEBUGGEE = "Client", "Server"
"""debugpy's names for connections from clients and from debuggees."""

Handler = Callable[[socket.socket], Any]


def guard() -> None:
    """Check the user and the key of every connection from now on, and remove the key from the environment."""
    key = os.environ.pop(KEY_ENV, "") or os.urandom(16).hex()  # without a key, a random one admits nobody
    guard_users(lambda handler: _keyed(handler, key))


def guard_users(keyed: Callable[[Handler], Handler] = lambda handler: handler) -> None:
    """Check only the user of every connection; `keyed` may wrap the handler of clients to require a key too."""
    from debugpy.adapter import clients  # noqa: PLC0415  only the adapter needs it; servers cannot be imported first
    from debugpy.common import sockets  # noqa: PLC0415  as above

    attached: set[int] = set()
    serve: Callable[..., socket.socket] = sockets.serve
    servers: Any = clients.servers  # pyright: ignore[reportPrivateImportUsage]  see above
    inject = servers.inject

    def serve_ours(name: str, handler: Handler, *where: Any, **options: Any) -> socket.socket:
        debuggees = attached if name == _DEBUGGEE else None
        admit = keyed(handler) if name == _CLIENT else handler

        def on_connected(link: socket.socket) -> None:
            if _is_ours(link, debuggees):
                admit(link)
            else:
                link.close()

        return serve(name, on_connected, *where, **options)

    def inject_noted(pid: int, *more: Any) -> None:
        attached.add(pid)
        inject(pid, *more)

    sockets.serve = serve_ours
    servers.inject = inject_noted


def _is_ours(link: socket.socket, debuggees: set[int] | None) -> bool:
    from dap_ai.transport import peer_users  # noqa: PLC0415  the shim makes it importable

    uid = peer_users.user_at(link)
    if not peer_users.is_another(uid):
        return True
    return debuggees is not None and os.getuid() == 0 and uid in peer_users.users_of([os.getpid(), *debuggees])


def _keyed(handler: Handler, key: str) -> Handler:
    """Wrap a connection handler so that it accepts only connections that begin with the key.

    Waiting for one connection's key does not delay another connection.
    """
    one_by_one = threading.Lock()

    def listen(link: socket.socket) -> None:
        if hmac.compare_digest(_first_bytes(link, len(key) + 1), f"{key}\n".encode()):
            with one_by_one:
                handler(link)
        else:
            link.close()

    return lambda link: threading.Thread(target=listen, args=(link,), daemon=True).start()


def _first_bytes(link: socket.socket, size: int) -> bytes:
    """Return the first `size` bytes that a connection sends, or fewer if it sends them too slowly."""
    said = b""
    with contextlib.suppress(OSError):
        link.settimeout(_KEY_S)
        while len(said) < size and (piece := link.recv(size - len(said))):
            said += piece
        link.settimeout(None)
    return said

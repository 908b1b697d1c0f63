"""Who is let in by the ports of debugpy's adapter; runs in its process, beside shim.py.

debugpy listens on loopback for clients (editors whose session is that of a child process), for the launcher, and for
debuggees. Every user of the machine can connect there, and a client may have any process of ours run what it likes.

    client      our user, who says the key that dap_ai has given this adapter in its environment, and a line end
    launcher    our user
    debuggee    our user; where we are root, the user of a program that we debug as well

Also in the process of an agent whose own Python is debugged (debuggees/runs/running/adapter): Python 3.8 and newer.
Whose a connection is, is known on Linux alone (transport/peer_users.py); elsewhere the key keeps others from being
clients,
and debugpy's own access token, which a debuggee must tell, from being debuggees.
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
"""What debugpy calls who connects there."""

Handler = Callable[[socket.socket], Any]


def guard() -> None:
    """From now on, whatever debugpy serves has a door keeper. Takes the key out of the environment."""
    key = os.environ.pop(KEY_ENV, "") or os.urandom(16).hex()  # without one nobody is let in
    guard_users(lambda handler: _keyed(handler, key))


def guard_users(keyed: Callable[[Handler], Handler] = lambda handler: handler) -> None:
    """The same where the user decides; `keyed` makes of what serves a client what asks for a key first."""
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
    from dap_ai.transport import peer_users  # noqa: PLC0415  the shim says where it is

    uid = peer_users.user_at(link)
    if not peer_users.is_another(uid):
        return True
    return debuggees is not None and os.getuid() == 0 and uid in peer_users.users_of([os.getpid(), *debuggees])


def _keyed(handler: Handler, key: str) -> Handler:
    """Hands over a connection that begins with the key; who does not say it keeps nobody else waiting."""
    one_by_one = threading.Lock()

    def listen(link: socket.socket) -> None:
        if hmac.compare_digest(_first_bytes(link, len(key) + 1), f"{key}\n".encode()):
            with one_by_one:
                handler(link)
        else:
            link.close()

    return lambda link: threading.Thread(target=listen, args=(link,), daemon=True).start()


def _first_bytes(link: socket.socket, size: int) -> bytes:
    """The first bytes; fewer, if they do not come in time."""
    said = b""
    with contextlib.suppress(OSError):
        link.settimeout(_KEY_S)
        while len(said) < size and (piece := link.recv(size - len(said))):
            said += piece
        link.settimeout(None)
    return said

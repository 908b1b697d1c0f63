"""Makes an agent's Python listen for a debugger, and reports the port to the gate; run by the hook.

Runs only in the agent's first Python process, because child processes are not the agent. Python 3.8 and newer; standard
library, and the debugpy in DAP_AI_DEBUGPY.
"""

import contextlib
import importlib.util
import json
import os
import runpy
import socket
import sys
import urllib.request
from typing import Any, Generator, Tuple

_HERE = os.path.dirname(os.path.abspath(__file__))
_OURS = os.path.abspath(os.path.join(_HERE, "..", "..", "..", ".."))
_TOLD_S = 5


def _listen() -> None:
    """Listen for a debugger; swallow all errors, which must not end the agent."""
    folder, gate = os.environ.pop("DAP_AI_DEBUGPY", ""), os.environ.get("DAP_AI_GATE", "")
    if not folder or not gate:
        return
    try:
        place = os.path.join(folder, "__init__.py")
        spec = importlib.util.spec_from_file_location("debugpy", place, submodule_search_locations=[folder])
        if spec is None or spec.loader is None:
            return
        module = importlib.util.module_from_spec(spec)
        sys.modules["debugpy"] = module
        spec.loader.exec_module(module)
        module.configure(subProcess=False, pythonEnv=dict(os.environ, DAP_AI_ADAPTER_OF=folder))
        with _guarded():
            _, port = module.listen(("127.0.0.1", 0))
        said = json.dumps({"kind": "python", "port": port, "pid": os.getpid()}).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(urllib.request.Request(gate, said), timeout=_TOLD_S).close()
    except Exception:
        sys.stderr.write("dap-ai: the agent's Python cannot be debugged itself\n")


@contextlib.contextmanager
def _guarded() -> Generator[None, None, None]:
    """Within the `with` block, make all of debugpy's ports accept only the current user."""
    from debugpy import adapter
    from debugpy.common import sockets as untyped

    sockets: Any = untyped
    is_of_another_user = runpy.run_path(os.path.join(_OURS, "transport", "peer_users.py"))["is_of_another_user"]

    class Ours(socket.socket):
        def accept(self) -> Tuple[socket.socket, Any]:
            while True:
                link, peer = super().accept()
                if not is_of_another_user(link):
                    return link, peer
                link.close()

    def create_server(*where: Any, **options: Any) -> socket.socket:
        plain = create(*where, **options)
        timeout = plain.gettimeout()
        ours = Ours(fileno=plain.detach())
        ours.settimeout(timeout)
        return ours

    create, file = sockets.create_server, adapter.__file__
    sockets.create_server = create_server
    adapter.__file__ = os.path.join(_HERE, "..", "adapter", "__main__.py")
    try:
        yield
    finally:
        sockets.create_server, adapter.__file__ = create, file


_listen()

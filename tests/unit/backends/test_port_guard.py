"""Who gets into the ports of debugpy's adapter, in a process of its own: what guards them is for ever."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.patience import patient

KEY = "a1b2c3d4"
PRELUDE = """
import errno, os, socket
from dap_ai.backends.debugpy import port_guard as doors
doors.guard()
from debugpy.common import sockets

def heard(name, said):
    "What one who says this, and no more, hears of whoever serves there."
    listener = sockets.serve(name, lambda link: (link.sendall(b"hello"), link.close()), "127.0.0.1")
    with socket.create_connection(listener.getsockname()) as link:
        link.settimeout(20)
        try:
            link.sendall(said)
            link.shutdown(socket.SHUT_WR)
            return link.recv(10)
        except OSError as error:  # closed before all was read: the reset came while it spoke, or before it shut down
            if isinstance(error, ConnectionError) or error.errno == errno.ENOTCONN:
                return b""
            raise
"""


def run(script: str, key: str = KEY) -> None:
    env = {**os.environ, "DAP_AI_ADAPTER_KEY": key}
    command = [sys.executable, "-c", PRELUDE + script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=patient(60), check=False)
    assert done.returncode == 0, done.stderr


def test_a_client_must_say_the_key():
    run("""
assert heard("Client", b"a1b2c3d4\\n") == b"hello"
for said in [b"", b"a1b2", b"a1b2c3d4 ", b"x1b2c3d4\\n", b"Content-Length: 30\\r\\n\\r\\n", b"\\xff" * 40]:
    assert heard("Client", said) == b"", said
""")


def test_one_who_says_nothing_keeps_nobody_waiting():
    run("""
doors._KEY_S = 0.2
listener = sockets.serve("Client", lambda link: link.sendall(b"hello"), "127.0.0.1")
with socket.create_connection(listener.getsockname()) as silent, socket.create_connection(listener.getsockname()) as ours:
    ours.sendall(b"a1b2c3d4\\n")
    assert ours.recv(10) == b"hello"
    silent.settimeout(20)
    assert silent.recv(10) == b""
""")


def test_without_a_key_nobody_is_a_client():
    run('assert heard("Client", b"\\n") == b""', key="")


def test_launcher_and_debuggee_say_nothing_first():
    run('assert heard("Launcher", b"") == heard("Server", b"") == b"hello"')


def test_no_program_inherits_the_key():
    run('assert "DAP_AI_ADAPTER_KEY" not in os.environ')


def test_who_is_not_known_to_be_ours_is_no_launcher_and_no_debuggee():
    run("""
from dap_ai.transport import peer_users as peers
peers.user_of = lambda peer, own: peers.GONE
assert heard("Launcher", b"") == heard("Server", b"") == heard("Client", b"a1b2c3d4\\n") == b""
""")

"""What the shim changes in debugpy's adapter process, in a process of its own: it is for ever."""

from __future__ import annotations

import subprocess
import sys

from tests.patience import patient

PRELUDE = """
import json, random, socket, sys, threading
from dap_ai.backends.debugpy import shim
shim._quick_reads()
shim._quick_json()
from debugpy.common import json as dj

def sent(data, seed):
    "The reading end of a socket into which these bytes are written in pieces of any size."
    chance = random.Random(seed)
    near, far = socket.socketpair()
    def write():
        at = 0
        while at < len(data):
            size = chance.choice([1, 3, 100, 70_000])
            far.sendall(data[at:at + size])
            at += size
        far.close()
    threading.Thread(target=write, daemon=True).start()
    return near.makefile("rb", 0)
"""


def run(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + script], capture_output=True, text=True, timeout=patient(60), check=False
    )
    assert done.returncode == 0, done.stderr


def test_messages_are_read_whole_however_they_arrive():
    run("""
bodies = [b"{}", b"x" * 200_000, "\\u00e9\\n".encode() * 500, b"", b"last"]
for seed in range(20):
    stream = sent(b"".join(b"Content-Length: %d\\r\\n\\r\\n" % len(b) + b for b in bodies), seed)
    for body in bodies:
        assert stream.readline() == b"Content-Length: %d\\r\\n" % len(body)
        assert stream.readline() == b"\\r\\n"
        assert bytes(stream.read(len(body))) == body
    assert stream.readline() == b"" and bytes(stream.read(5)) == b""
""")


def test_a_stream_that_ends_in_the_middle_gives_what_there_is():
    run("""
stream = sent(b"Content-Le", 1)
assert stream.readline() == b"Content-Le"
stream = sent(b"a\\nbcd", 1)
assert (stream.readline(), bytes(stream.read(100)), bytes(stream.read(100))) == (b"a\\n", b"bcd", b"")
""")


def test_what_is_kept_of_a_line_read_is_read_by_whoever_reads_next():
    run("""
stream = sent(b"line\\nrest of it", 3)
assert stream.readline() == b"line\\n"
place = bytearray(4)
while not (count := stream.readinto(place)):
    pass
assert b"rest of it".startswith(bytes(place[:count]))
""")


def test_json_says_the_same_as_debugpys_own():
    run("""
class State:
    def __getstate__(self):
        return {"x": 1}
encode = dj.JsonEncoder().encode
for value in [{"a": [1, 2.5, None, True, "\\u00e9\\u4e2d\\n\\x00"]}, {1: 2}, [2 ** 70, -1], "\\ud800", {"s": State()}, 1e300, ()]:
    plain = json.loads(json.dumps(value, default=lambda o: o.__getstate__()))
    assert json.loads(encode(value)) == plain, value
""")


def test_gdb_lets_the_signals_of_users_and_supervisors_pass():
    run("""
import subprocess
from dap_ai.backends.debugpy.attaching import injecting
said = []
subprocess.check_call = lambda command, **options: said.append((command, options))
injecting._calm_gdb()
subprocess.check_call("gdb --nw --pid 7", shell=True)
subprocess.check_call(["other"])
(command, options), other = said
assert command.startswith("gdb -iex 'set confirm off' -iex 'handle SIGHUP SIGINT ") and options == {"shell": True}
assert command.endswith(" --nw --pid 7") and other == (["other"], {})
""")

"""The listeners of a family, at which the clients of child sessions arrive."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import Any

import pytest

from dap_ai.adapter.io.family import ChildPlace, Families, Family
from dap_ai.transport.byte_links import TransportLink
from tests.patience import at_worst

pytestmark = pytest.mark.anyio
WAIT_S = at_worst(20.0)
JOINS = """
import os, socket, sys
os.setgroups([])
os.setuid(int(sys.argv[2]))
with socket.socket() as connection:
    connection.settimeout(20)
    connection.connect(("127.0.0.1", int(sys.argv[1])))
    print(connection.recv(10))
"""


class Parent:
    """A member of a family, as far as a listener needs one."""

    session_id = "ab12"
    adapter_key = ""
    own: dict[str, Any] = {}  # noqa: RUF012  never changed


class Admitted:
    """Serves a client by a word, and closes."""

    def __init__(self) -> None:
        self.places: list[ChildPlace] = []
        self.said: list[str] = []
        self.families = Families(self.admit, self.said.append)

    async def admit(self, link: TransportLink, place: ChildPlace) -> None:
        self.places.append(place)
        link.write(b"welcome")
        link.close()

    async def family(self) -> tuple[Family, int]:
        family = Family(self.families)
        return family, await family.open_listener(Parent(), ("127.0.0.1", 4711))  # type: ignore[arg-type]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or not os.path.exists("/proc/net/tcp"),  # noqa: PTH110  at import
    reason="only root can become another user, and only Linux tells who connects",
)
@pytest.mark.parametrize(("uid", "hears"), [(65534, b"b''\n"), (0, b"b'welcome'\n")])
async def test_only_our_user_joins_as_a_child(uid: int, hears: bytes):
    admitted = Admitted()
    family, port = await admitted.family()
    joins = await asyncio.create_subprocess_exec(
        sys.executable, "-c", JOINS, str(port), str(uid),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        out, error = await asyncio.wait_for(joins.communicate(), WAIT_S)
    finally:
        if joins.returncode is None:
            joins.kill()
    await family.close()
    assert out == hears, error
    assert [place.address for place in admitted.places] == ([("127.0.0.1", 4711)] if uid == 0 else [])
    assert [line.split(":")[0] for line in admitted.said] == ([] if uid == 0 else ["turned away"])


async def test_no_listener_is_left_of_a_family_that_ended_while_it_was_opened():
    admitted = Admitted()
    family = Family(admitted.families)
    listening = asyncio.ensure_future(family.open_listener(Parent(), ("127.0.0.1", 4711)))  # type: ignore[arg-type]
    await family.close()
    assert await asyncio.wait_for(listening, WAIT_S) == 0
    assert admitted.families.places == {}


async def test_a_closed_family_listens_no_more():
    admitted = Admitted()
    family, port = await admitted.family()
    await family.close()
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=WAIT_S):  # noqa: PT011  any
        pass

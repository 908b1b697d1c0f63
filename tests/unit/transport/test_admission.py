"""One place listens and decides who is let in; no other line of the product opens a listener."""

from __future__ import annotations

import ast
import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import dap_ai
from dap_ai.transport import admission, peer_users

PRODUCT = Path(dap_ai.__file__).parent
OPENS = frozenset({
    "accept", "create_server", "create_tcp_listener", "create_unix_listener", "create_unix_server", "listen",
    "sock_accept", "start_server", "start_unix_server",
})  # fmt: skip
"""A method or function of such a name opens a listener, or takes a connection from one."""
MODULES = frozenset(
    {"http.server", "socketserver", "wsgiref.simple_server", "xmlrpc.server", "multiprocessing.connection"}
)
ELSEWHERE = {
    "transport/admission.py": "the place",
    "debuggees/python/hosts/post_mortem/holding.py": "in the user's process, standard library alone: the same rule",
    "debuggees/runs/running/attached/listening.py": "in the agent's process: debugpy listens, behind the same rule",
}


def opened(path: Path) -> Iterator[str]:
    """`file:line: what` of each listener that a file opens."""
    name = path.relative_to(PRODUCT).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = node.func
            said = called.attr if isinstance(called, ast.Attribute) else ""
            if said in OPENS and not _is_ours(called):
                yield f"{name}:{node.lineno}: {said}"
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        yield from (f"{name}:{getattr(node, 'lineno', 0)}: {module}" for module in modules if module in MODULES)


def _is_ours(called: ast.expr) -> bool:
    """The method that takes a question is called `accept` as well."""
    return ast.unparse(called) in {"self.accept", "self._desk.accept"}


def test_nothing_listens_but_by_the_one_place():
    found = [line for path in sorted(PRODUCT.rglob("*.py")) for line in opened(path)]
    assert [line for line in found if line.split(":")[0] not in ELSEWHERE] == []
    assert {line.split(":")[0] for line in found} == set(ELSEWHERE), "an exception that is needed no more"


class Greets(asyncio.Protocol):
    """Says hello to who is let in."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"hello")
        transport.close()


@pytest.mark.anyio
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="the kernel does not tell who connects")
@pytest.mark.parametrize("kind", ["address", "socket", "path"])
@pytest.mark.parametrize(("uid", "hears"), [(None, b"hello"), (61002, b""), (peer_users.GONE, b"")])
async def test_who_is_known_to_be_another_hears_nothing(
    kind: str, uid: int | None, hears: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    log: list[str] = []
    monkeypatch.setattr(peer_users, "user_at", lambda _: uid)
    path = tmp_path / "s"
    at = {
        "address": lambda: ("127.0.0.1", 0),
        "socket": lambda: admission.listening_tcp("127.0.0.1", 0),
        "path": lambda: admission.listening_unix(path),
    }[kind]()
    server = await admission.serve(at, Greets, log.append)
    family = socket.AF_UNIX if kind == "path" else socket.AF_INET
    reader, writer = await (
        asyncio.open_unix_connection(path)
        if family == socket.AF_UNIX
        else asyncio.open_connection(*server.sockets[0].getsockname())
    )
    assert await _all(reader) == hears
    writer.close()
    server.close()
    assert ["turned away" in line for line in log] == ([] if hears else [True])


async def _all(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionError:
        return b""


@pytest.mark.anyio
@pytest.mark.parametrize(("own", "hears"), [(0, b"hello"), (1000, b"")])
async def test_root_alone_lets_others_in_who_are_named(own: int, hears: bytes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(peer_users, "user_at", lambda _: 61001)
    monkeypatch.setattr(os, "getuid", lambda: own)
    server = await admission.serve(("127.0.0.1", 0), Greets, lambda _: None, others=lambda: {61001})
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    assert await _all(reader) == hears
    writer.close()
    server.close()

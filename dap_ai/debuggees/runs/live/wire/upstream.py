"""Connections to the model's server: kept alive between requests, through the user's proxy, with TLS."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import ssl
import time
import urllib.request
from collections.abc import AsyncIterator
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import anyio
import h11

from dap_ai.debuggees.runs.live.wire.http import READ_BYTES, BrokenConnection, Headers

_IDLE_S = 4.0
"""Seconds after which an idle connection is not reused; servers close idle connections after five seconds."""
_CONNECT_S = 60.0
_MAX_HEAD = 64 * 1024


class Unreached(Exception):  # noqa: N818  named for what is wrong with the server
    """The model's server cannot be reached; the message tells the agent's user why."""


class UpstreamConnection:
    """One connection to a model's server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, proxied: bool) -> None:
        self.proxied = proxied
        """Whether the connection leads to a proxy, which needs the whole address as the request's target."""
        self.used_at = time.monotonic()
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD)

    @property
    def is_usable(self) -> bool:
        """Whether the connection can take another request."""
        stale = time.monotonic() - self.used_at > _IDLE_S
        return not (stale or self._reader.at_eof() or self._writer.is_closing())

    async def send(self, request: h11.Request, body: bytes) -> h11.Response:
        """Send a request and return the response head. Raises BrokenConnection and OSError."""
        head = self._http.send(request) or b""
        data = self._http.send(h11.Data(data=body)) or b"" if body else b""
        self._writer.writelines([head, data, self._http.send(h11.EndOfMessage()) or b""])
        await self._writer.drain()
        while True:
            event = await self._next()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise BrokenConnection("the answer has no head")

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the response body as it arrives. Raises BrokenConnection and OSError if the body ends early."""
        while True:
            event = await self._next()
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return
            else:
                raise BrokenConnection("the answer ends too early")

    def again(self) -> bool:
        """Prepare the connection for another request; return whether that is possible."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        self.used_at = time.monotonic()
        return True

    def close(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()

    async def _next(self) -> object:
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise BrokenConnection(str(error)) from error
            if event is not h11.NEED_DATA:
                return event
            self._http.receive_data(await self._reader.read(READ_BYTES))


class ProxyAddress(NamedTuple):
    """The user's HTTP proxy."""

    host: str
    port: int
    authorization: str


class Pool:
    """Idle connections to models' servers, by origin."""

    def __init__(self) -> None:
        self._idle: dict[str, list[UpstreamConnection]] = {}
        self._tls: ssl.SSLContext | None = None

    def idle(self, origin: str) -> UpstreamConnection | None:
        """Return an idle connection that can be reused, or None."""
        waiting = self._idle.get(origin, [])
        while waiting:
            link = waiting.pop()
            if link.is_usable:
                return link
            link.close()
        return None

    async def opened(self, origin: str) -> UpstreamConnection:
        """Open a new connection. Raises Unreached."""
        parts = urlsplit(origin)
        host, secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        proxy = proxy_for(parts.scheme, host, port)
        try:
            with anyio.fail_after(_CONNECT_S):
                if proxy and secure:
                    tunnel = await _tunnel(proxy, host, port)
                    streams = await asyncio.open_connection(sock=tunnel, ssl=self._context(), server_hostname=host)
                elif proxy:
                    streams = await asyncio.open_connection(proxy.host, proxy.port)
                else:
                    streams = await asyncio.open_connection(host, port, ssl=self._context() if secure else None)
        except (OSError, ValueError) as error:
            raise Unreached(f"{host}:{port} cannot be reached: {error or 'it does not answer'}") from error
        return UpstreamConnection(*streams, proxied=bool(proxy and not secure))

    def keep(self, origin: str, link: UpstreamConnection) -> None:
        """Keep a connection for the next request; close a connection that can't take another."""
        if link.again():
            self._idle.setdefault(origin, []).append(link)
        else:
            link.close()

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
                if os.path.isfile(os.environ.get(name, "")):  # noqa: PTH113  any string from the environment
                    self._tls.load_verify_locations(os.environ[name])
        return self._tls


def proxy_for(scheme: str, host: str, port: int) -> ProxyAddress | None:
    """Return the proxy that the user's environment sets for an address, or None.

    Raises ValueError if the proxy's address is not HTTP.
    """
    proxies = urllib.request.getproxies()
    url = proxies.get(scheme) or proxies.get("all")
    if not url or urllib.request.proxy_bypass(f"{host}:{port}") or host in ("localhost", "127.0.0.1", "::1"):
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError(f"the proxy of {scheme}_proxy is none that speaks HTTP")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    authorization = f"Basic {base64.b64encode(login.encode()).decode()}" if login else ""
    return ProxyAddress(parts.hostname, parts.port or 80, authorization)


def proxy_headers(origin: str) -> Headers:
    """Return the headers that a proxy needs for each unencrypted request."""
    parts = urlsplit(origin)
    proxy = proxy_for(parts.scheme, parts.hostname or "", parts.port or 80)
    return [(b"Proxy-Authorization", proxy.authorization.encode())] if proxy and proxy.authorization else []


async def _tunnel(proxy: ProxyAddress, host: str, port: int) -> socket.socket:
    """Open a connection through a proxy. Raises OSError if the proxy refuses."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
    family, kind, number, _, address = found[0]
    tunnel = socket.socket(family, kind, number)
    tunnel.setblocking(False)
    try:
        await loop.sock_connect(tunnel, address)
        name = f"[{host}]" if ":" in host else host
        login = f"Proxy-Authorization: {proxy.authorization}\r\n" if proxy.authorization else ""
        await loop.sock_sendall(
            tunnel, f"CONNECT {name}:{port} HTTP/1.1\r\nHost: {name}:{port}\r\n{login}\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = await loop.sock_recv(tunnel, 1)  # one at a time, because TLS data follows
            if not byte or len(head) > _MAX_HEAD:
                raise OSError("the proxy ended the connection")  # noqa: TRY301  closes the socket
            head += byte
        if head.split(b" ", 2)[1:2] != [b"200"]:
            said = head.splitlines()[0].decode("latin-1")
            raise OSError(f"the proxy says {said}")  # noqa: TRY301  closes the socket
    except BaseException:
        tunnel.close()
        raise
    return tunnel

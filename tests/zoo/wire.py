"""HTTP/1.1 by hand, so that it can be done wrong on purpose."""

import asyncio
import socket
import struct
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

HEADERS_MAX = 64 * 1024


class Gone(Exception):
    """The client has closed the connection, or it never said anything."""


@dataclass
class Request:
    method: str
    path: str
    headers: dict = field(default_factory=dict)  # Names in lower case; repeated ones joined by a comma.
    body: bytes = b""

    def number(self, name, otherwise):
        """A number from the query: `/late?ms=700`."""
        values = parse_qs(urlsplit(self.path).query).get(name)
        return int(values[0]) if values else otherwise


def parse_head(head):
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {}
    for line in filter(None, lines):
        name, _, value = line.partition(":")
        name = name.strip().lower()
        headers[name] = f"{headers[name]}, {value.strip()}" if name in headers else value.strip()
    return Request(method, path, headers)


def response(status, headers=(), body=b"", reason="-"):
    """A whole and correct response."""
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
    if status != 204:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


class Conversation:
    """One connection, from the animal's side."""

    def __init__(self, reader, writer, visits):
        self.reader = reader
        self.writer = writer
        self.visits = visits
        self.number = visits.add_connection()

    async def start_tls(self, context):
        await self.writer.start_tls(context)

    def alpn(self):
        return self.writer.get_extra_info("ssl_object").selected_alpn_protocol()

    async def request(self):
        """The next whole request, recorded; Gone when there is none."""
        request = await self.head()
        if request.headers.get("expect", "").lower() == "100-continue":
            await self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.body = await self.body(request.headers)
        self.visits.add_request(request, self.number)
        return request

    async def head(self):
        try:
            return parse_head((await self.reader.readuntil(b"\r\n\r\n"))[:-4])
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone from error

    async def body(self, headers):
        if "chunked" in headers.get("transfer-encoding", ""):
            return await self.chunks()
        return await self.exactly(int(headers.get("content-length", "0")))

    async def chunks(self):
        body = b""
        while True:
            size = int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16)
            body += (await self.exactly(size + 2))[:-2]
            if size == 0:
                return body

    async def exactly(self, size):
        try:
            return await self.reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone from error

    async def send(self, data):
        if self.writer.transport.is_closing():
            raise Gone
        try:
            self.writer.write(data)
            await self.writer.drain()
        except ConnectionError as error:
            raise Gone from error

    async def until_closed(self):
        """Hangs until the client has enough of it."""
        while await self.reader.read(HEADERS_MAX):
            pass

    def reset(self):
        """RST instead of FIN."""
        plain = self.writer.get_extra_info("socket")
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


def keeps_answering(make_response):
    """An animal that gives the same kind of answer to each request of a connection."""
    async def serve(conversation):
        while True:
            request = await conversation.request()
            await conversation.send(make_response(request))
            if request.headers.get("connection", "").lower() == "close":
                return
    return serve

"""Endpoints that take their time, or all of it."""

import asyncio
import socket

from wire import response


async def late(conversation):
    """A good answer, but after the deadline: `/late?ms=700`."""
    while True:
        request = await conversation.request()
        await asyncio.sleep(request.number("ms", 5000) / 1000)
        await conversation.send(response(200, body=b"better late than never"))


async def hang(conversation):
    await conversation.request()
    await conversation.until_closed()


async def hang_unread(conversation):
    """Accepts and does not even read: the request stays in the buffers."""
    conversation.writer.transport.pause_reading()
    await asyncio.sleep(3600)


async def drip(conversation, data):
    for byte in data:
        await conversation.send(bytes([byte]))
        await asyncio.sleep(1)


async def slow_headers(conversation):
    await conversation.request()
    await drip(conversation, response(200, [("X-Patience", "is a virtue")]))


async def slow_body(conversation):
    await conversation.request()
    await conversation.send(b"HTTP/1.1 200 -\r\nContent-Length: 1000\r\n\r\n")
    await drip(conversation, b"." * 1000)


class Blackhole:
    """A port whose backlog is full, so that the kernel drops every further SYN."""

    FILLERS = 8  # More than any kernel keeps for a backlog of zero.

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.fillers = [self.filler() for _ in range(self.FILLERS)]

    def filler(self):
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(self.listener.getsockname())
        return filler

    def url(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/blackhole"


def animals():
    return {"late": late, "hang": hang, "hang-unread": hang_unread, "slow-headers": slow_headers,
            "slow-body": slow_body}

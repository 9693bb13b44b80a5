"""Endpoints that send more than anybody wants."""

import gzip

from wire import response

PIECE = b"x" * (64 * 1024)
HEADERS_BYTES = 100 * 1024 * 1024
BOMB_BYTES = 60 * 1024 * 1024  # Compressed it is smaller than what is read of a response; only inflated it hurts.


async def infinite_body(conversation):
    await conversation.request()
    await conversation.send(b"HTTP/1.1 200 -\r\nConnection: close\r\n\r\n")
    while True:
        await conversation.send(PIECE)


async def infinite_error(conversation):
    """The same with a status that means a retry."""
    await conversation.request()
    await conversation.send(b"HTTP/1.1 500 -\r\nConnection: close\r\n\r\n")
    while True:
        await conversation.send(PIECE)


async def huge_headers(conversation):
    """Many lines, each of a size that nobody objects to."""
    await conversation.request()
    await conversation.send(b"HTTP/1.1 200 -\r\n")
    line = b"X-Flood: " + b"x" * 4000 + b"\r\n"
    for _ in range(HEADERS_BYTES // (16 * len(line))):
        await conversation.send(line * 16)
    await conversation.send(b"\r\n")


async def huge_header_line(conversation):
    """One line without an end."""
    await conversation.request()
    await conversation.send(b"HTTP/1.1 200 -\r\nX-Flood: ")
    for _ in range(HEADERS_BYTES // len(PIECE)):
        await conversation.send(PIECE)
    await conversation.send(b"\r\n\r\n")


async def informational_flood(conversation):
    """1xx for ever, and never an answer."""
    await conversation.request()
    while True:
        await conversation.send(b"HTTP/1.1 103 -\r\nLink: </style.css>\r\n\r\n" * 64)


async def informational_first(conversation):
    """A few 1xx are allowed before the answer."""
    while True:
        await conversation.request()
        await conversation.send(b"HTTP/1.1 103 -\r\nLink: </style.css>\r\n\r\n" * 3 + response(200))


def gzip_bomb():
    bomb = gzip.compress(bytes(BOMB_BYTES), 9)

    async def serve(conversation):
        while True:
            await conversation.request()
            await conversation.send(response(200, [("Content-Encoding", "gzip")], bomb))
    return serve


def animals():
    return {
        "infinite-body": infinite_body,
        "infinite-error": infinite_error,
        "gzip-bomb": gzip_bomb(),
        "huge-headers": huge_headers,
        "huge-header-line": huge_header_line,
        "informational-flood": informational_flood,
        "informational-first": informational_first,
    }

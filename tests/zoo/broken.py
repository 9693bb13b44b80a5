"""Endpoints that break the connection, or the protocol."""

import asyncio

from wire import response

OK_HEAD = b"HTTP/1.1 200 -\r\n"
CHUNKED_HEAD = OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
SETTLE_SECONDS = 0.05  # So that what was sent is read before the RST throws it away.


def says(data):
    """Answers the first request with these bytes and closes."""
    async def serve(conversation):
        await conversation.request()
        await conversation.send(data)
    return serve


def says_and_stays(data):
    """The same, but the connection stays open."""
    async def serve(conversation):
        await conversation.request()
        await conversation.send(data)
        await conversation.until_closed()
    return serve


async def close_at_once(_conversation):
    """Accepts and closes."""


async def reset_in_request(conversation):
    await conversation.exactly(16)
    conversation.reset()


async def reset_in_response(conversation):
    await conversation.request()
    await conversation.send(OK_HEAD + b"Content-Length: 1000\r\n\r\nhalf of it")
    await asyncio.sleep(SETTLE_SECONDS)
    conversation.reset()


async def close_without_answer(conversation):
    await conversation.request()


async def answers_twice(conversation):
    """Two responses for one request: the second must never be taken for the answer to the next."""
    while True:
        await conversation.request()
        await conversation.send(response(200) + response(500))


async def close_when_idle(conversation):
    """Says nothing of it, and closes the connection after its answer."""
    await conversation.request()
    await conversation.send(response(200))


async def close_when_reused(conversation):
    """The classical race: closed exactly when the second request is on its way."""
    await conversation.request()
    await conversation.send(response(200))
    await conversation.head()
    conversation.reset()


async def effect_then_500(conversation):
    """Applies the effect of each key, then says that it has failed; when asked again it still does."""
    while True:
        request = await conversation.request()
        conversation.visits.apply_effect(request.headers.get("idempotency-key", ""))
        await conversation.send(response(500))


async def effect_twice(conversation):
    """Applies the effect of one request twice, and says that all is well."""
    while True:
        request = await conversation.request()
        for _ in range(2):
            conversation.visits.apply_effect(request.headers.get("idempotency-key", ""))
        await conversation.send(response(200))


async def effect_then_drop(conversation):
    """Applies the effect and drops the connection; when asked again it says that it has it already."""
    request = await conversation.request()
    if conversation.visits.apply_effect(request.headers.get("idempotency-key", "")):
        return
    await conversation.send(response(200))


def animals():
    return {
        "close-at-once": close_at_once,
        "close-without-answer": close_without_answer,
        "reset-in-request": reset_in_request,
        "reset-in-response": reset_in_response,
        "chunk-garbage": says_and_stays(CHUNKED_HEAD + b"5\r\nhello\r\nzebra\r\n"),
        "chunk-absurd": says_and_stays(CHUNKED_HEAD + b"FFFFFFFFFFFFFFFFFFFF\r\nhello"),
        "chunk-cut": says(CHUNKED_HEAD + b"ff\r\nhello"),
        "length-too-long": says(OK_HEAD + b"Content-Length: 1000\r\n\r\nshort"),
        "length-too-short": says_and_stays(OK_HEAD + b"Content-Length: 2\r\n\r\nokHTTP/1.1 500 -\r\n\r\n"),
        "length-garbage": says_and_stays(OK_HEAD + b"Content-Length: many\r\n\r\nok"),
        "not-http": says_and_stays(b"220 mail.example ESMTP ready\r\n"),
        "answers-twice": answers_twice,
        "close-when-idle": close_when_idle,
        "close-when-reused": close_when_reused,
        "effect-then-500": effect_then_500,
        "effect-then-drop": effect_then_drop,
        "effect-twice": effect_twice,
    }

"""Endpoints that speak HTTP/2, over TLS or at once (h2c with prior knowledge)."""

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

from tls import behind, context_for
from wire import Gone, Request

READ_MAX = 64 * 1024


class Streams:
    """The protocol on one connection: requests come whole, answers go by stream."""

    def __init__(self, conversation):
        self.conversation = conversation
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self.h2 = h2.connection.H2Connection(config)
        self.under_way = {}
        self.whole = []

    async def start(self):
        self.h2.initiate_connection()
        await self.flush()

    async def flush(self):
        await self.conversation.send(self.h2.data_to_send())

    async def requests(self):
        """The (stream, request) pairs that became whole with what has just arrived."""
        try:
            data = await self.conversation.reader.read(READ_MAX)
        except ConnectionError as error:
            raise Gone from error
        if not data:
            raise Gone
        try:
            for event in self.h2.receive_data(data):
                self.take(event)
        except h2.exceptions.ProtocolError as error:
            raise Gone from error
        await self.flush()
        whole, self.whole = self.whole, []
        return whole

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            headers = dict(event.headers)
            self.under_way[event.stream_id] = Request(headers.pop(":method"), headers.pop(":path"), headers)
        elif isinstance(event, h2.events.DataReceived):
            self.under_way[event.stream_id].body += event.data
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            request = self.under_way.pop(event.stream_id)
            self.conversation.visits.add_request(request, self.conversation.number)
            self.whole.append((event.stream_id, request))

    def answer(self, stream, status):
        self.h2.send_headers(stream, [(":status", str(status)), ("content-length", "0")], end_stream=True)


def speaking(react):
    """An animal that reacts to each request: `react(streams, stream_id)`; True when the connection is to be closed."""
    async def serve(conversation):
        streams = Streams(conversation)
        await streams.start()
        while True:
            for stream, _ in await streams.requests():
                is_over = react(streams, stream)
                await streams.flush()
                if is_over:
                    return
    return serve


def answer(streams, stream):
    streams.answer(stream, 200)


def reset(code):
    return lambda streams, stream: streams.h2.reset_stream(stream, code)


def go_away(streams, stream):
    """Answers the first, and wants no more of this connection: later streams were certainly not looked at."""
    if stream == 1:
        streams.answer(stream, 200)
    streams.h2.close_connection(last_stream_id=1)
    return True


def go_away_at_once(streams, _stream):
    """Nothing is answered on any connection, not even the first."""
    streams.h2.close_connection(last_stream_id=0)
    return True


def go_away_in_answer(streams, stream):
    """In the middle of an answer, with an error: the request may have been done."""
    streams.h2.send_headers(stream, [(":status", "200"), ("content-length", "1000")])
    streams.h2.send_data(stream, b"half of it")
    streams.h2.close_connection(error_code=h2.errors.ErrorCodes.INTERNAL_ERROR, last_stream_id=stream)
    return True


def animals(certificates):
    context = context_for(certificates.good, ("h2", "http/1.1"))
    over_tls = {
        "http2": answer,
        "http2-goaway": go_away,
        "http2-goaway-at-once": go_away_at_once,
        "http2-goaway-in-answer": go_away_in_answer,
        "http2-reset": reset(h2.errors.ErrorCodes.INTERNAL_ERROR),
        "http2-refused": reset(h2.errors.ErrorCodes.REFUSED_STREAM),
    }
    named = {name: behind(context, speaking(react)) for name, react in over_tls.items()}
    return named | {"h2c": speaking(answer)}

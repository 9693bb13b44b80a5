"""Gives each animal a port of its own, and tells on another what they have received."""

import asyncio
import json

from visits import Visits
from wire import Conversation, Gone, response


class Keeper:
    def __init__(self):
        self.visits = {}
        self.urls = {}
        self.servers = []

    def visits_of(self, name):
        return self.visits.setdefault(name, Visits())

    async def settle(self, name, serve, scheme="http"):
        """A new animal on a port of its own."""
        visits = self.visits_of(name)

        async def welcome(reader, writer):
            await converse(serve, Conversation(reader, writer, visits))

        port = await self.listen(welcome)
        self.urls[name] = f"{scheme}://127.0.0.1:{port}/{name}"

    async def settle_all(self, animals, scheme="http"):
        for name, serve in animals.items():
            await self.settle(name, serve, scheme)

    async def listen(self, welcome):
        server = await asyncio.start_server(welcome, "127.0.0.1", 0, backlog=1024)
        self.servers.append(server)
        return server.sockets[0].getsockname()[1]

    async def open_office(self):
        """The control URL: `GET /visits`, `GET /visits/<animal>`, `POST /reset`."""
        async def welcome(reader, writer):
            await converse(self.tell, Conversation(reader, writer, Visits()))

        return f"http://127.0.0.1:{await self.listen(welcome)}"

    async def tell(self, conversation):
        request = await conversation.request()
        told = self.answer_to(request.method, request.path)
        headers = [("Content-Type", "application/json"), ("Connection", "close")]
        await conversation.send(response(404 if told is None else 200, headers, json.dumps(told).encode()))

    def answer_to(self, method, path):
        if (method, path) == ("POST", "/reset"):
            for visits in self.visits.values():
                visits.reset()
            return {}
        if (method, path) == ("GET", "/visits"):
            return {name: visits.told() for name, visits in self.visits.items()}
        name = path.removeprefix("/visits/")
        return self.visits[name].told() if method == "GET" and name in self.visits else None


async def converse(serve, conversation):
    try:
        await serve(conversation)
    except Gone:
        pass
    finally:
        conversation.writer.close()

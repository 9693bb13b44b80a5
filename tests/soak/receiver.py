#!/usr/bin/env python3
"""receiver.py LEDGER SEED: two endpoints, `steady` and `faulty`.

Prints their URLs as JSON; ends when its input is closed. Each request is in the ledger before it is answered, and again
when its answer has gone out. `faulty` refuses, delays, hangs, resets, and is down now and then, until SIGUSR1.
"""

import asyncio
import hashlib
import json
import os
import random
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "zoo"))

from ledger import Ledger, now  # noqa: E402
from wire import Conversation, Gone, response  # noqa: E402

FAULTS = {"busy": 4, "error": 3, "later": 1, "slow": 4, "reset": 2, "lost answer": 2, "cut answer": 1, "hang": 0.3}
FAULTLESS_WEIGHT = 100
REFUSALS_OF_POISON = 1
OUTAGE_EVERY = (15, 40)
OUTAGE_SECONDS = (2, 5)
CALM_SLOW_SHARE = 0.02


class NoVisits:
    """The zoo's conversations count their visits; here the ledger does."""

    def add_connection(self):
        return 0

    def add_request(self, request, number):
        pass


class Receiver:
    def __init__(self, ledger, seed):
        self.ledger = Ledger(ledger)
        self.chance = random.Random(f"{seed} receiver")
        self.count = 0
        self.refusals = {}
        self.is_calm = False
        self.outage = None

    def verdict(self, to, event, kind):
        if kind != "plain" and to == "faulty":
            refusals = self.refusals.get(event, 0)
            if kind == "hopeless" or refusals < REFUSALS_OF_POISON:
                self.refusals[event] = refusals + 1
                return "refused"
        if self.is_calm:
            return "ok"
        if to == "steady":
            return "slow" if self.chance.random() < CALM_SLOW_SHARE else "ok"
        if self.outage:
            return "busy"
        return self.chance.choices(["ok", *FAULTS], [FAULTLESS_WEIGHT, *FAULTS.values()])[0]

    def note(self, to, request):
        self.count += 1
        event = request.headers.get("webhook-id", "")
        verdict = self.verdict(to, event, json.loads(request.body).get("kind", "plain"))
        self.ledger.write(n=self.count, at=now(), to=to, event=event, verdict=verdict,
                          attempt=int(request.headers.get("makegood-attempt", "0")),
                          digest=hashlib.sha256(request.body).hexdigest())
        return self.count, verdict

    async def act(self, conversation, verdict):
        """False: the connection is of no more use."""
        answers = {"ok": 200, "slow": 200, "busy": 503, "error": 500, "later": 429, "refused": 422}
        if verdict == "slow":
            await asyncio.sleep(self.chance.uniform(0.05, 0.5))
        if verdict in answers:
            headers = [("Retry-After", "1")] if verdict == "later" else []
            await conversation.send(response(answers[verdict], headers, b"{}"))
            return True
        if verdict == "cut answer":
            await conversation.send(b"HTTP/1.1 200 -\r\nContent-Length: 1000\r\n\r\nhalf of it")
        elif verdict == "hang":
            await conversation.until_closed()
        else:
            conversation.reset()
        return False

    async def serve(self, to, conversation):
        while True:
            if to == "faulty" and self.outage == "unreachable":
                conversation.reset()
                return
            request = await conversation.request()
            number, verdict = self.note(to, request)
            is_usable = await self.act(conversation, verdict)
            self.ledger.write(n=number, end=now())
            if not is_usable:
                return

    async def listen(self, to):
        async def welcome(reader, writer):
            try:
                await self.serve(to, Conversation(reader, writer, NoVisits()))
            except Gone:
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(welcome, "127.0.0.1", 0, backlog=1024)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/{to}"

    async def have_outages(self):
        while True:
            await asyncio.sleep(self.chance.uniform(*OUTAGE_EVERY))
            self.outage = None if self.is_calm else self.chance.choice(["busy", "unreachable"])
            await asyncio.sleep(self.chance.uniform(*OUTAGE_SECONDS))
            self.outage = None

    def calm_down(self):
        self.is_calm, self.outage = True, None


async def input_closed():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass


async def main(ledger, seed):
    receiver = Receiver(ledger, seed)
    urls = {to: await receiver.listen(to) for to in ("steady", "faulty")}
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, receiver.calm_down)
    print(json.dumps(urls), flush=True)
    outages = asyncio.create_task(receiver.have_outages())
    await input_closed()
    outages.cancel()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))

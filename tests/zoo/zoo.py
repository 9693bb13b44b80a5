#!/usr/bin/python3
"""The endpoint zoo: HTTP endpoints with every bad habit, each on a loopback port of its own.

Prints one line of JSON when all are ready:
  {"control": "http://…", "animals": {"hang": {"url": "http://…"}, …}, "files": {"ca": "…", …}}
and ends when its standard input is closed, so that nothing is left over when the test that started it dies.
"""

import asyncio
import json
import logging
import signal
import sys
import tempfile

import broken
import flood
import http2
import plain
import slow
import tls
from certificates import Certificates
from keeper import Keeper
from renegotiating import Renegotiating

NEVER_VISITED = "neighbour"


async def settle_everyone(keeper, certificates):
    await keeper.settle(NEVER_VISITED, plain.status(200))
    await keeper.settle_all(plain.animals(keeper.urls[NEVER_VISITED]))
    await keeper.settle_all(slow.animals())
    await keeper.settle_all(broken.animals())
    await keeper.settle_all(flood.animals())
    await keeper.settle_all(tls.animals(certificates), "https")
    for name, serve in http2.animals(certificates).items():
        await keeper.settle(name, serve, "http" if name == "h2c" else "https")


async def input_closed():
    """Until whoever started us is done with us, or dead."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass


async def main(folder):
    keeper = Keeper()
    certificates = Certificates(folder)
    await settle_everyone(keeper, certificates)
    blackhole = slow.Blackhole()
    keeper.urls["blackhole"] = blackhole.url()
    renegotiating = Renegotiating(certificates, keeper.visits_of("tls-renegotiating"))
    try:
        task = await renegotiating.start()
        keeper.urls["tls-renegotiating"] = renegotiating.url()
        files = {"ca": certificates.ca, "client_certificate": certificates.client["certificate"],
                 "client_key": certificates.client["key"]}
        told = {"control": await keeper.open_office(), "files": files,
                "animals": {name: {"url": url} for name, url in keeper.urls.items()}}
        print(json.dumps(told), flush=True)
        await input_closed()
        task.cancel()
    finally:
        await renegotiating.stop()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # What a client does wrong is no news here.
    with tempfile.TemporaryDirectory(prefix="makegood-zoo-") as place:
        asyncio.run(main(place))

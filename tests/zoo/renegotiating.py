"""An endpoint that asks for a new handshake in the middle of a request: only `openssl s_server` does that still."""

import asyncio
import ctypes
import signal

from wire import parse_head, response

PR_SET_PDEATHSIG = 1


def die_with_parent():
    """It would wait for connections for ever, were the zoo killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Renegotiating:
    """What the client sends appears on its output; what it is told to say, it says. A line `r` means: renegotiate."""

    def __init__(self, certificates, visits):
        self.pair = certificates.good
        self.visits = visits
        self.process = None
        self.port = 0

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-tls1_2", "-cert", self.pair["certificate"],
            "-key", self.pair["key"], stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT, preexec_fn=die_with_parent)
        line = await self.line_with(b"ACCEPT")
        self.port = int(line.rsplit(b":", 1)[1])
        return asyncio.create_task(self.serve())

    async def line_with(self, what):
        while line := await self.process.stdout.readline():
            if what in line:
                return line
        raise EOFError(f"openssl s_server ended before it said {what}")

    async def serve(self):
        """One connection after the other; for each one request, after which the client is asked to close it."""
        while True:
            first = await self.line_with(b" HTTP/1.1\r\n")
            head = first + await self.process.stdout.readuntil(b"\r\n\r\n")
            request = parse_head(head[:-4])
            request.body = await self.process.stdout.readexactly(int(request.headers.get("content-length", "0")))
            self.visits.add_request(request, self.visits.add_connection())
            await self.say(b"r\n")
            await self.line_with(b"SSL_do_handshake")
            await self.say(response(200, [("Connection", "close")]))

    async def say(self, words):
        self.process.stdin.write(words)
        await self.process.stdin.drain()

    def url(self):
        return f"https://127.0.0.1:{self.port}/tls-renegotiating"

    async def stop(self):
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.communicate()

"""`makegood serve`, its lives and deaths."""

import http.client
import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass

from ledger import now

READY_WITHIN = 30
STOPPED_WITHIN = 40
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)


@dataclass
class Life:
    started: float
    ready: float = 0.0
    ended: float = 0.0
    peak_mib: float = 0.0


def free_port():
    """The same one for all lives, so that callers find the next one where the last one was."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Daemon:
    def __init__(self, program, store, folder, *flags):
        self.arguments = [program, "serve", "--store", store.url, "--set", "server.open_on_loopback=true",
                          "--set", f"server.door_folder={folder}/door", *store.flags, *flags]
        self.port = free_port()
        self.log = os.path.join(folder, "serve.log")
        self.lives = []
        self.freezes = []
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*self.arguments, "--listen", f"127.0.0.1:{self.port}"], stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL)
        self.lives.append(Life(now()))
        self.await_ready()

    def await_ready(self):
        until = now() + READY_WITHIN
        while now() < until and self.is_alive():
            try:
                if self.call("GET", "/readyz", timeout=2)[0] == 200:
                    self.lives[-1].ready = now()
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise RuntimeError(f"the daemon was not ready within {READY_WITHIN} s:\n{self.last_words()}")

    def is_alive(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.lives[-1].ended = now()

    def freeze(self, seconds):
        begin = now()
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)
        self.freezes.append((begin, now()))

    def stop(self):
        """As systemd would; answers the exit code and how long it took."""
        begin = now()
        self.process.terminate()
        code = self.process.wait(STOPPED_WITHIN)
        self.lives[-1].ended = now()
        return code, now() - begin

    def memory_mib(self):
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
                size = int(file.read().split()[1]) * PAGE_MIB
        except (OSError, IndexError):
            return 0.0
        self.lives[-1].peak_mib = max(self.lives[-1].peak_mib, size)
        return size

    def call(self, method, path, body=None, timeout=10):
        """The status and the answer; OSError when there was none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if "json" in answer.getheader("Content-Type", "") else content
        except (http.client.HTTPException, ValueError) as error:
            raise ConnectionError(f"the answer was cut: {error!r}") from error
        finally:
            connection.close()

    def last_words(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-20:])

"""The proxy, the service or both are killed in the middle of everything, again and again. The service's ledger is the
independent witness: at most one effect per key, unless `release` was chosen; and what was told to a client is true."""

import collections
import http.client
import os
import random
import threading
import time
import unittest

from stage import ProxyCase, ask, on_postgres

CLIENTS = 6
SECONDS = float(os.environ.get("MAKEGOOD_PROXY_KILL_SECONDS", "8"))
ROUTES = """
principal: none
routes:
  - path: /**
    lease: 2s
    timeout: 5s
"""


class Client(threading.Thread):
    """Asks again, as a good client does, until it is told something final, and remembers what it was told."""

    def __init__(self, case, number):
        super().__init__(daemon=True)
        self.case, self.number, self.chance = case, number, random.Random(case.seed * 100 + number)
        self.told = collections.defaultdict(set)
        self.count = 0

    def run(self):
        while not self.case.is_over.is_set():
            self.count += 1
            key = f"client {self.number} key {self.count}"
            path = self.chance.choice(("/ok", "/ok", "/slow/0.02", "/chunks"))
            for _ in range(50):
                if self.case.is_over.is_set() or self.ask(key, path):
                    break
                time.sleep(0.05)

    def ask(self, key, path):
        try:
            answer = ask(self.case.address, "POST", path, key.encode(), key, timeout=3)
        except (OSError, http.client.HTTPException):
            return False
        if answer.status == 200:
            self.told[key].add(answer.body)
        return answer.status == 200 or answer.word == "in_doubt"


class Killed(ProxyCase):
    seed = int(os.environ.get("MAKEGOOD_PROXY_KILL_SEED", "0")) or random.SystemRandom().randrange(1 << 30)

    def start_proxy(self, listen):
        proxy = self.start("--routes", self.write("routes.yaml", ROUTES), listen=listen)
        self.address = proxy.address
        return proxy

    def test_there_is_at_most_one_effect_per_key(self):
        chance = random.Random(self.seed)
        self.is_over = threading.Event()
        proxy = self.start_proxy("127.0.0.1:0")
        clients = [Client(self, number) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        end = time.monotonic() + SECONDS
        kills = collections.Counter()
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.05, 0.6))
            whom = chance.choice(("proxy", "proxy", "service", "both"))
            kills[whom] += 1
            if whom != "service":
                proxy.clear_away()
            if whom != "proxy":
                self.service.kill()
                self.service.start()
            if whom != "service":
                proxy = self.start_proxy(self.address)
        self.is_over.set()
        for client in clients:
            client.join(20)
        self.check(clients, kills)

    def check(self, clients, kills):
        effects = collections.Counter(effect["key"] for effect in self.service.effects())
        asked = sum(client.count for client in clients)
        told = {key: bodies for client in clients for key, bodies in client.told.items()}
        print(f"seed {self.seed}: {asked} keys, {len(effects)} effects, {len(told)} told, kills {dict(kills)}",
              flush=True)
        self.assertGreater(len(told), 20)
        self.assertEqual([key for key, count in effects.items() if count > 1], [], f"seed {self.seed}")
        self.assertEqual([key for key in told if key not in effects], [], f"seed {self.seed}")
        self.assertEqual([key for key, bodies in told.items() if len(bodies) > 1], [], f"seed {self.seed}")


KilledOnPostgres = on_postgres(Killed)

if __name__ == "__main__":
    unittest.main()

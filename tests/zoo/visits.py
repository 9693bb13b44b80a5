"""What each animal has received."""

import hashlib
import time

KEPT_MAX = 2000  # Requests with their details; beyond it they are only counted.
BODY_SHOWN_MAX = 256


class Visits:
    """Of one animal."""

    def __init__(self):
        self.connections = 0
        self.count = 0
        self.requests = []
        self.effects = {}  # Idempotency-Key -> how often it was applied.

    def reset(self):
        self.__init__()

    def add_connection(self):
        self.connections += 1
        return self.connections

    def add_request(self, request, connection):
        self.count += 1
        if len(self.requests) >= KEPT_MAX:
            return
        self.requests.append({
            "method": request.method,
            "path": request.path,
            "headers": request.headers,
            "body": request.body[:BODY_SHOWN_MAX].decode("latin-1"),
            "body_bytes": len(request.body),
            "body_sha256": hashlib.sha256(request.body).hexdigest(),
            "connection": connection,
            "at_ms": time.monotonic_ns() // 1_000_000,
        })

    def apply_effect(self, key):
        """True the first time."""
        self.effects[key] = self.effects.get(key, 0) + 1
        return self.effects[key] == 1

    def told(self):
        return {"connections": self.connections, "count": self.count, "requests": self.requests,
                "effects": self.effects}

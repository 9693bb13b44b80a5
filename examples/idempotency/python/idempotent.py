"""Makes the write requests of a Python service safe to repeat: WSGI and ASGI middleware over the keys of Makegood.

Level 1, around the request: `IdempotentWsgi(app, keys)`. The application's commit and the finish are two, so the key of
a process that died in between is in doubt (`hold`).
Level 2, inside the transaction: the application calls `environ["idempotency"].finish(connection, status, body)` (ASGI:
`scope["idempotency"]`) before its commit. Then a key is taken over from a dead process, and nothing is ever in doubt;
give `after_lease="take_over"`.

`Keys(path)` is the store that `makegood migrate --idempotency --store sqlite:PATH` has prepared. On PostgreSQL the
statements are the same, with psycopg's `%s` in the place of `?`.
"""

import asyncio
import hashlib
import io
import sqlite3
import uuid

BODY_BYTES_MAX = 1 << 20


def fingerprint(method, path, query, content_type, body):
    """As Makegood computes it: every part with its length, so that no two different requests are the same bytes."""
    parts = (method.encode(), path.encode(), query.encode(), content_type.encode(), body)
    return hashlib.sha256(b"".join(b"%d:%s" % (len(part), part) for part in parts)).hexdigest()


class Claim:
    """One request's claim: `outcome`, and for a hit `status` and `body`."""

    def __init__(self, keys, scope, key, digest):
        self.keys, self.scope, self.key, self.token, self.is_finished = keys, scope, key, str(uuid.uuid4()), False
        with keys.connection() as connection:
            connection.execute(
                "INSERT INTO makegood_idempotency_claim (scope, key, fingerprint, token, lease_ms, after_lease)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (scope, key, digest, self.token, keys.lease_ms, keys.after_lease))
            row = connection.execute(
                "SELECT token, fingerprint, outcome, result_status, result_body FROM makegood_idempotency_claim"
                " WHERE tenant_id = 'default' AND scope = ? AND key = ?", (scope, key)).fetchone()
        token, known, outcome, status, body = row
        self.status, self.body = status or 200, body or b""  # An operator's word has no answer.
        self.outcome = "fresh" if token == self.token else "mismatch" if known != digest else outcome

    def finish(self, connection, status, body):
        """In the application's own transaction, as its last statement. Raises, and rolls back, if it was taken over."""
        connection.execute(
            "INSERT INTO makegood_idempotency_finish (scope, key, token, result_status, result_body)"
            " VALUES (?, ?, ?, ?, ?)",
            (self.scope, self.key, self.token, status, body))
        self.is_finished = True

    def settle(self, status, body):
        """After the request: stores its answer unless the application has, and releases the key after 5xx and 429."""
        was_finished = self.is_finished
        if was_finished and status < 300:
            return
        try:
            self.tell(status, body)
        except sqlite3.IntegrityError:
            # It was finished inside and committed. After a rollback the key is still ours, and was settled just now.
            if not was_finished:
                raise

    def tell(self, status, body):
        with self.keys.connection() as connection:
            if status >= 500 or status == 429:
                connection.execute(
                    "INSERT INTO makegood_idempotency_fail (scope, key, token, failure_code) VALUES (?, ?, ?, ?)",
                    (self.scope, self.key, self.token, f"HTTP.{status}"))
            else:
                self.finish(connection, status, body)


class Keys:
    def __init__(self, path, lease_ms=30_000, after_lease="hold",
                 principal=lambda headers: headers.get("authorization", "")):
        self.path, self.lease_ms, self.after_lease, self.principal = path, lease_ms, after_lease, principal

    def connection(self):
        return sqlite3.connect(self.path, isolation_level=None, timeout=5)

    def claim(self, method, path, query, headers, body):
        """None: there is no key. The scope has the route and who asks: an answer is never given to somebody else."""
        key = headers.get("idempotency-key", "").strip()
        if method not in ("POST", "PATCH", "PUT", "DELETE") or not key:
            return None
        who = hashlib.sha256(self.principal(headers).encode()).hexdigest()[:16]
        digest = fingerprint(method, path, query, headers.get("content-type", ""), body)
        return Claim(self, f"{method} {path} {who}", key.strip('"'), digest)


def refusal(claim):
    """The status and sentence for a claim that is neither fresh nor a hit."""
    return {"mismatch": (422, b"This Idempotency-Key was used for another request."),
            "in_doubt": (409, b"Whether this request was carried out is unknown; ask for its outcome."),
            }.get(claim.outcome, (409, b"A request with this Idempotency-Key is being worked on."))


class IdempotentWsgi:
    def __init__(self, app, keys):
        self.app, self.keys = app, keys

    def __call__(self, environ, start_response):
        headers = {name[5:].lower().replace("_", "-"): value
                   for name, value in environ.items() if name.startswith("HTTP_")}
        headers["content-type"] = environ.get("CONTENT_TYPE", "")
        body = environ["wsgi.input"].read(min(int(environ.get("CONTENT_LENGTH") or 0), BODY_BYTES_MAX))
        environ["wsgi.input"] = io.BytesIO(body)
        claim = self.keys.claim(environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING", ""),
                                headers, body)
        if claim is None:
            return self.app(environ, start_response)
        if claim.outcome == "hit":
            start_response(f"{claim.status} Replayed",
                           [("Idempotency-Replayed", "true"), ("Content-Length", str(len(claim.body)))])
            return [bytes(claim.body)]
        if claim.outcome != "fresh":
            status, sentence = refusal(claim)
            start_response(f"{status} Conflict", [("Content-Length", str(len(sentence)))])
            return [sentence]
        environ["idempotency"], told = claim, {}

        def keep(status, headers, error=None):
            told.update(status=status, headers=headers)

        answer = b"".join(self.app(environ, keep))
        claim.settle(int(told["status"].split()[0]), answer)  # Committed before anybody hears the answer.
        start_response(told["status"], told["headers"])
        return [answer]


class IdempotentAsgi:
    def __init__(self, app, keys):
        self.app, self.keys = app, keys

    async def __call__(self, scope, receive, send):
        headers = {name.decode().lower(): value.decode() for name, value in scope.get("headers", [])}
        if scope["type"] != "http" or "idempotency-key" not in headers:
            return await self.app(scope, receive, send)
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        query = scope["query_string"].decode()
        claim = await asyncio.to_thread(self.keys.claim, scope["method"], scope["path"], query, headers, body)
        if claim is None or claim.outcome == "fresh":
            return await self.run(claim, dict(scope, idempotency=claim), body, send)
        status, content = (claim.status, bytes(claim.body)) if claim.outcome == "hit" else refusal(claim)
        replayed = [(b"idempotency-replayed", b"true")] if claim.outcome == "hit" else []
        await send({"type": "http.response.start", "status": status, "headers": replayed})
        await send({"type": "http.response.body", "body": content})

    async def run(self, claim, scope, body, send):
        messages = []

        async def receive_again():
            return {"type": "http.request", "body": body, "more_body": False}

        async def keep(message):
            messages.append(message)

        await self.app(scope, receive_again, keep)
        answer = b"".join(message.get("body", b"") for message in messages)
        if claim is not None:
            await asyncio.to_thread(claim.settle, messages[0]["status"], answer)
        for message in messages:
            await send(message)

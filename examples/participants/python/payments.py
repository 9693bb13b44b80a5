"""Payments as a participant of a saga, on PostgreSQL.

python3 payments.py URL [PORT]: POST /charge is the action, POST /refund its compensation.
"""

import http.server
import json
import sys

import psycopg

SCHEMA = """
CREATE TABLE IF NOT EXISTS payment (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text, cents bigint, state text);
CREATE TABLE IF NOT EXISTS saga_barrier (
  tenant text NOT NULL, execution text NOT NULL, step text NOT NULL,
  round integer NOT NULL,  -- of the action
  state text NOT NULL,     -- refused, done, failed, undone
  answer text,             -- what was answered, and will be again
  PRIMARY KEY (tenant, execution, step, round));
"""
# Rows for all rounds up to this one. Whoever inserts a row decides what becomes of that round; all others read it.
CLAIM = """
WITH RECURSIVE rounds (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rounds WHERE n < %(round)s)
INSERT INTO saga_barrier (tenant, execution, step, round, state)
SELECT %(tenant)s, %(execution)s, %(step)s, n, 'refused' FROM rounds ORDER BY n
ON CONFLICT DO NOTHING RETURNING round
"""
FIND = """
SELECT state, answer FROM saga_barrier
WHERE tenant = %(tenant)s AND execution = %(execution)s AND step = %(step)s AND round = %(round)s
"""
KEEP = """
UPDATE saga_barrier SET state = %(state)s, answer = %(answer)s
WHERE tenant = %(tenant)s AND execution = %(execution)s AND step = %(step)s AND round = %(round)s
"""
UNDO = """
UPDATE saga_barrier SET state = 'undone'
WHERE tenant = %(tenant)s AND execution = %(execution)s AND step = %(step)s AND round <= %(round)s
  AND state = 'done'
RETURNING answer
"""
STATUS = {"done": 200, "failed": 422}


class Refused(Exception):
    """Certainly not done, and it will not be: the saga gets the code."""


def key_of(headers):
    is_action = headers["makegood-direction"] == "action"
    return {"tenant": headers["makegood-tenant"], "execution": headers["makegood-execution"],
            "step": headers["makegood-step"],
            "round": int(headers["makegood-round" if is_action else "makegood-action-round"])}


def claim(db, key):
    """True: nobody has decided about this round yet, and now nobody else will."""
    return (key["round"],) in db.execute(CLAIM, key).fetchall()


def act(db, key, effect):
    """Does it once. A repeat gets the first answer; what was compensated is refused for ever."""
    if not claim(db, key):
        state, answer = db.execute(FIND, key).fetchone()
        return (STATUS[state], answer) if state in STATUS else (409, '{"code": "COMPENSATED"}')
    try:
        with db.transaction():  # A savepoint: what has failed leaves nothing behind.
            state, answer = "done", effect()
    except Refused as refused:
        state, answer = "failed", {"code": str(refused)}
    text = json.dumps(answer)
    db.execute(KEEP, {**key, "state": state, "answer": text})
    return STATUS[state], text


def compensate(db, key, undo):
    """Makes sure that the action has no effect, whether it was done, is still to come, or is undone already."""
    claim(db, key)
    for (answer,) in db.execute(UNDO, key).fetchall():
        undo(json.loads(answer))
    return 200, "{}"


def charge(db, order):
    if order["customer"] == "broke":
        raise Refused("INSUFFICIENT_FUNDS")
    row = db.execute("INSERT INTO payment (customer, cents, state) "
                     "VALUES (%(customer)s, %(cents)s, 'charged') RETURNING id", order).fetchone()
    return {"paymentId": row[0]}


def refund(db, payment):
    db.execute("UPDATE payment SET state = 'refunded' WHERE id = %(paymentId)s", payment)


def answer_to(database, path, headers, body):
    # Commits at the end, and rolls back when anything is raised. A service with traffic takes a pool instead.
    with psycopg.connect(database) as db:
        if path == "/charge":
            return act(db, key_of(headers), lambda: charge(db, json.loads(body)))
        if path == "/refund":
            return compensate(db, key_of(headers), lambda payment: refund(db, payment))
        return 404, "{}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    database = ""

    def do_POST(self):  # noqa: N802, the name is given
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            status, answer = answer_to(self.database, self.path, self.headers, body)
        except Exception as error:  # Rolled back, or nobody knows; the saga asks again.
            print(f"{self.path}: {error}", file=sys.stderr, flush=True)
            status, answer = 500, "{}"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer.encode())))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *arguments):
        pass


def main():
    Handler.database = sys.argv[1]
    with psycopg.connect(Handler.database) as db:
        db.execute(SCHEMA)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 8103), Handler)
    print(f"payments at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()

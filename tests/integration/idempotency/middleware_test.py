"""The middleware of examples/idempotency: Python over plain SQL, Node over REST, in front of a small shop."""

import asyncio
import io
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import unittest

PROGRAM = os.environ.get("MAKEGOOD_PROGRAM", "makegood")
EXAMPLES = os.environ.get("MAKEGOOD_EXAMPLES", "examples")
sys.path.insert(0, os.path.join(EXAMPLES, "idempotency", "python"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
from idempotent import IdempotentAsgi, IdempotentWsgi, Keys, fingerprint  # noqa: E402
from postgres_database import database_of, needs_postgres  # noqa: E402


class Shop:
    """Takes an order with each POST, and says which number it has."""

    def __init__(self, path, finishes_inside=False):
        self.path, self.finishes_inside, self.fails, self.rolls_back = path, finishes_inside, False, False
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, text TEXT)")

    def order(self, body, claim):
        if self.fails:
            return 500, b"broken"
        connection = sqlite3.connect(self.path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        number = connection.execute("INSERT INTO orders (text) VALUES (?) RETURNING id", (body.decode(),)).fetchone()[0]
        answer = b"order %d" % number
        if self.finishes_inside and claim is not None:
            claim.finish(connection, 201, answer)
        if self.rolls_back:
            connection.execute("ROLLBACK")
            return self.rolls_back, b"rolled back"
        connection.execute("COMMIT")
        connection.close()
        return 201, answer

    def count(self):
        with sqlite3.connect(self.path) as connection:
            return connection.execute("SELECT count(*) FROM orders").fetchone()[0]

    def wsgi(self, environ, start_response):
        status, answer = self.order(environ["wsgi.input"].read(), environ.get("idempotency"))
        start_response(f"{status} Said", [("Content-Length", str(len(answer)))])
        return [answer]

    async def asgi(self, scope, receive, send):
        status, answer = self.order((await receive())["body"], scope.get("idempotency"))
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": answer})


def ask_wsgi(app, body, key="k", who="alice"):
    told = {}
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/orders", "CONTENT_LENGTH": str(len(body)),
               "wsgi.input": io.BytesIO(body), "HTTP_AUTHORIZATION": who}
    if key:
        environ["HTTP_IDEMPOTENCY_KEY"] = key
    answer = b"".join(app(environ, lambda status, headers, error=None: told.update(status=int(status.split()[0]))))
    return told["status"], answer


def ask_asgi(app, body, key="k"):
    messages = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        messages.append(message)

    headers = [(b"idempotency-key", key.encode())]
    scope = {"type": "http", "method": "POST", "path": "/orders", "query_string": b"", "headers": headers}
    asyncio.run(app(scope, receive, send))
    return messages[0]["status"], messages[1]["body"]


class PythonTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "shop.db")
        subprocess.run([PROGRAM, "migrate", "--idempotency", "--store", f"sqlite:{self.path}"], check=True,
                       stdout=subprocess.DEVNULL)

    def test_the_fingerprint_is_the_one_of_the_library(self):
        self.assertEqual(fingerprint("POST", "/pay", "", "", b"x"), FINGERPRINT)

    def test_a_repeated_request_has_one_effect_and_the_same_answer(self):
        for level, policy in ((False, "hold"), (True, "take_over")):
            with self.subTest(policy):
                shop = Shop(self.path, level)
                before = shop.count()
                app = IdempotentWsgi(shop.wsgi, Keys(self.path, after_lease=policy))
                first = ask_wsgi(app, b"tea", f'"{policy}"')
                self.assertEqual(ask_wsgi(app, b"tea", policy), first)
                self.assertEqual(shop.count(), before + 1)

    def test_asgi_does_the_same(self):
        for level, policy in ((False, "hold"), (True, "take_over")):
            with self.subTest(policy):
                shop = Shop(self.path, level)
                before = shop.count()
                app = IdempotentAsgi(shop.asgi, Keys(self.path, after_lease=policy))
                first = ask_asgi(app, b"tea", policy)
                self.assertEqual(ask_asgi(app, b"tea", policy), first)
                self.assertEqual(ask_asgi(app, b"coffee", policy)[0], 422)
                self.assertEqual(shop.count(), before + 1)

    def test_other_content_is_refused_and_another_caller_has_keys_of_its_own(self):
        shop = Shop(self.path)
        app = IdempotentWsgi(shop.wsgi, Keys(self.path))
        ask_wsgi(app, b"tea")
        self.assertEqual(ask_wsgi(app, b"coffee")[0], 422)
        self.assertEqual(ask_wsgi(app, b"tea", who="bob"), (201, b"order 2"))
        self.assertEqual(ask_wsgi(app, b"tea", key=None), (201, b"order 3"))

    def test_a_failure_is_tried_again(self):
        shop = Shop(self.path)
        app = IdempotentWsgi(shop.wsgi, Keys(self.path))
        shop.fails = True
        self.assertEqual(ask_wsgi(app, b"tea")[0], 500)
        shop.fails = False
        self.assertEqual(ask_wsgi(app, b"tea"), (201, b"order 1"))

    def test_a_rollback_after_the_finish_releases_the_key_at_once(self):
        shop = Shop(self.path, True)
        app = IdempotentWsgi(shop.wsgi, Keys(self.path, after_lease="take_over"))
        shop.rolls_back = 503
        self.assertEqual(ask_wsgi(app, b"tea"), (503, b"rolled back"))
        shop.rolls_back = False
        self.assertEqual(ask_wsgi(app, b"tea")[0], 201)
        self.assertEqual(shop.count(), 1)

    def test_a_refusal_after_a_rollback_is_given_again(self):
        shop = Shop(self.path, True)
        app = IdempotentWsgi(shop.wsgi, Keys(self.path, after_lease="take_over"))
        shop.rolls_back = 409
        first = ask_wsgi(app, b"tea")
        shop.rolls_back = False
        self.assertEqual(ask_wsgi(app, b"tea"), first)
        self.assertEqual(shop.count(), 0)

    def test_an_error_after_the_commit_does_not_take_the_finish_back(self):
        shop = Shop(self.path, True)

        def careless(environ, start_response):
            shop.wsgi(environ, lambda status, headers: None)
            start_response("500 Broken", [])
            return [b"its log was full"]

        keys = Keys(self.path, after_lease="take_over")
        self.assertEqual(ask_wsgi(IdempotentWsgi(careless, keys), b"tea"), (500, b"its log was full"))
        self.assertEqual(ask_wsgi(IdempotentWsgi(shop.wsgi, keys), b"tea"), (201, b"order 1"))
        self.assertEqual(shop.count(), 1)

    def test_the_word_of_an_operator_is_told_without_an_answer(self):
        keys = Keys(self.path, lease_ms=1)
        headers = {"idempotency-key": "k", "authorization": "alice"}
        claim = keys.claim("POST", "/orders", "", headers, b"tea")
        while keys.claim("POST", "/orders", "", headers, b"tea").outcome == "busy":
            pass
        subprocess.run([PROGRAM, "idempotency", "resolve", "k", "--scope", claim.scope, "--done", "--store",
                        f"sqlite:{self.path}"], check=True, stdout=subprocess.DEVNULL)
        shop = Shop(self.path)
        self.assertEqual(ask_wsgi(IdempotentWsgi(shop.wsgi, keys), b"tea"), (200, b""))
        self.assertEqual(shop.count(), 0)

    def test_who_died_between_commit_and_finish_leaves_a_doubt_at_level_one_and_none_at_level_two(self):
        for inside, policy, expected in ((False, "hold", 409), (True, "take_over", 201)):
            with self.subTest(policy):
                shop = Shop(self.path, inside)
                before = shop.count()
                keys = Keys(self.path, lease_ms=1, after_lease=policy)
                headers = {"idempotency-key": f"died {policy}", "authorization": "alice"}
                claim = keys.claim("POST", "/orders", "", headers, b"tea")
                shop.order(b"tea", claim)  # And then its process is gone.
                while keys.claim("POST", "/orders", "", headers, b"tea").outcome == "busy":
                    pass
                self.assertEqual(ask_wsgi(IdempotentWsgi(shop.wsgi, keys), b"tea", f"died {policy}")[0], expected)
                self.assertEqual(shop.count(), before + 1)

    def test_a_zombie_whose_key_was_taken_over_has_no_effect(self):
        shop = Shop(self.path, True)
        keys = Keys(self.path, lease_ms=1, after_lease="take_over")
        headers = {"idempotency-key": "z", "authorization": "alice"}
        zombie = keys.claim("POST", "/orders", "", headers, b"tea")
        while keys.claim("POST", "/orders", "", headers, b"tea").outcome != "fresh":
            pass
        with self.assertRaises(sqlite3.IntegrityError):
            shop.order(b"tea", zombie)
        self.assertEqual(shop.count(), 0)


NODE_SHOP = """
import http from "node:http";
import { idempotent } from "IDEMPOTENT";
const layer = idempotent({ server: process.argv[2], token: process.argv[3] });
let orders = 0;
const server = http.createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    request.body = Buffer.concat(chunks);
    layer(request, response, (error) => {
      response.statusCode = error ? 503 : request.body.toString() === "broken" ? 500 : 201;
      response.end(error ? error.message : `order ${++orders}`);
    });
  });
});
server.listen(0, "127.0.0.1", async () => {
  const at = `http://127.0.0.1:${server.address().port}/orders`;
  const ask = async (body, key) => {
    const response = await fetch(at, { method: "POST", body, headers: { "idempotency-key": key } });
    return `${response.status} ${await response.text()} ${response.headers.get("idempotency-replayed")}`;
  };
  console.log(await ask("tea", '"k"'));
  console.log(await ask("tea", "k"));
  console.log((await ask("coffee", "k")).slice(0, 3));
  console.log((await ask("broken", "b")).slice(0, 3));
  console.log((await ask("broken", "b")).slice(0, 3));
  server.close();
});
"""


# Level 2: the order and the finish are one transaction. A key is anybody's a millisecond after its claim; the first
# request with the key "zombie" waits until another one has taken the key over and ended.
NODE_SHOP_INSIDE = """
import http from "node:http";
import pg from "pg";
import { idempotent } from "IDEMPOTENT";
const [server, url] = process.argv.slice(2);
const layer = idempotent({ server, afterLease: "take_over", leaseMs: 1 });
const pool = new pg.Pool({ connectionString: url });
await pool.query("CREATE TABLE orders (id bigserial PRIMARY KEY, text text)");
let arrived, release;
const isThere = new Promise((resolve) => { arrived = resolve; });
const isReleased = new Promise((resolve) => { release = resolve; });
let zombies = 0, rollbacks = 0;
async function order(request, response) {
  if (request.headers["idempotency-key"] === "zombie" && ++zombies === 1) {
    arrived();
    await isReleased;
  }
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const insert = "INSERT INTO orders (text) VALUES ($1) RETURNING id";
    const { rows } = await client.query(insert, [request.body.toString()]);
    const answer = `order ${rows[0].id}`;
    await client.query(request.idempotency.finishSql(201, answer));
    if (request.headers["idempotency-key"] === "rolled back" && ++rollbacks === 1) throw { code: "too late" };
    await client.query("COMMIT");
    response.statusCode = 201;
    response.end(answer);
  } catch (error) {
    await client.query("ROLLBACK");
    response.statusCode = 500;
    response.end(error.code);
  } finally {
    client.release();
  }
}
const shop = http.createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    request.body = Buffer.concat(chunks);
    layer(request, response, (error) => (error ? response.end(error.message) : order(request, response)));
  });
});
shop.listen(0, "127.0.0.1", async () => {
  const at = `http://127.0.0.1:${shop.address().port}/orders`;
  const ask = async (key) => {
    const response = await fetch(at, { method: "POST", body: "tea", headers: { "idempotency-key": key } });
    const [word] = (await response.text()).split(" ");
    return `${response.status} ${word} ${response.headers.get("idempotency-replayed")}`;
  };
  console.log(await ask("k"));
  console.log(await ask("k"));
  const first = ask("zombie");
  await isThere;
  let second = await ask("zombie");
  while (second.startsWith("409")) second = await ask("zombie"); // A millisecond can be long.
  console.log(second);
  release();
  console.log(await first);
  console.log(await ask("zombie"));
  console.log(await ask("rolled back"));
  const { items } = await (await fetch(`${server}/api/idempotency/keys`)).json();
  const { outcome, state } = items.find(({ key }) => key === "rolled back");
  console.log(`${state} ${outcome}`);
  console.log(await ask("rolled back"));
  console.log((await pool.query("SELECT count(*) FROM orders")).rows[0].count);
  await pool.end();
  shop.close();
});
"""


class NodeTest(unittest.TestCase):
    def setUp(self):
        if shutil.which("node") is None:
            self.skipTest("node is not installed")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_a_repeated_request_has_one_effect_and_the_same_answer(self):
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
        from daemon import Daemon
        daemon = Daemon(PROGRAM, f"sqlite:{os.path.join(self.folder, 'shop.db')}")
        self.addCleanup(daemon.close)
        script = os.path.join(self.folder, "shop.mjs")
        with open(script, "w", encoding="utf-8") as file:
            module = os.path.join(EXAMPLES, "idempotency", "node", "idempotent.mjs")
            file.write(NODE_SHOP.replace("IDEMPOTENT", os.path.abspath(module)))
        said = subprocess.run(["node", script, daemon.url], check=True, capture_output=True, text=True,
                              timeout=60).stdout
        self.assertEqual(said, textwrap.dedent("""\
            201 order 1 null
            201 order 1 true
            422
            500
            500
            """))

    @needs_postgres
    def test_inside_its_transaction_who_was_taken_over_has_no_effect(self):
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
        from daemon import Daemon
        from producers import CannotRun, fetch_from_npm
        try:
            folder = fetch_from_npm()
        except CannotRun as reason:
            self.skipTest(str(reason))
        url = database_of(self)
        daemon = Daemon(PROGRAM, url)
        self.addCleanup(daemon.close)
        script = os.path.join(folder, f"shop_{os.getpid()}.mjs")  # Beside the packages that it imports.
        module = os.path.join(EXAMPLES, "idempotency", "node", "idempotent.mjs")
        with open(script, "w", encoding="utf-8") as file:
            file.write(NODE_SHOP_INSIDE.replace("IDEMPOTENT", os.path.abspath(module)))
        self.addCleanup(os.remove, script)
        done = subprocess.run(["node", script, daemon.url, url], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, textwrap.dedent("""\
            201 order null
            201 order true
            201 order null
            500 MG010 null
            201 order true
            500 too null
            failed fresh
            201 order null
            3
            """))


FINGERPRINT = "1eb07e74fdb83b849779cfc53a7707626219c55d2ae5a8bea3b64ad37d2847ef"

if __name__ == "__main__":
    unittest.main()

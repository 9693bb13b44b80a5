// node payments.mjs URL [PORT]: payments as a participant of a saga, on PostgreSQL.
// POST /charge is the action, POST /refund its compensation.
import http from "node:http";
import pg from "pg";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS payment (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text, cents bigint, state text);
CREATE TABLE IF NOT EXISTS saga_barrier (
  tenant text NOT NULL, execution text NOT NULL, step text NOT NULL,
  round integer NOT NULL,  -- of the action
  state text NOT NULL,     -- refused, done, failed, undone
  answer text,             -- what was answered, and will be again
  PRIMARY KEY (tenant, execution, step, round));
`;
// Rows for all rounds up to this one. Whoever inserts a row decides what becomes of that round; all others read it.
const CLAIM = `
WITH RECURSIVE rounds (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rounds WHERE n < $4::integer)
INSERT INTO saga_barrier (tenant, execution, step, round, state)
SELECT $1, $2, $3, n, 'refused' FROM rounds ORDER BY n
ON CONFLICT DO NOTHING RETURNING round
`;
const FIND = `
SELECT state, answer FROM saga_barrier WHERE tenant = $1 AND execution = $2 AND step = $3 AND round = $4
`;
const KEEP = `
UPDATE saga_barrier SET state = $5, answer = $6 WHERE tenant = $1 AND execution = $2 AND step = $3 AND round = $4
`;
const UNDO = `
UPDATE saga_barrier SET state = 'undone'
WHERE tenant = $1 AND execution = $2 AND step = $3 AND round <= $4 AND state = 'done' RETURNING answer
`;
const STATUS = { done: 200, failed: 422 };

/** Certainly not done, and it will not be: the saga gets the code. */
class Refused extends Error {}

function keyOf(headers) {
  const isAction = headers["makegood-direction"] === "action";
  const round = Number(headers[isAction ? "makegood-round" : "makegood-action-round"]);
  return [headers["makegood-tenant"], headers["makegood-execution"], headers["makegood-step"], round];
}

/** True: nobody has decided about this round yet, and now nobody else will. */
async function claim(db, key) {
  const { rows } = await db.query(CLAIM, key);
  return rows.some((row) => row.round === key[3]);
}

/** What the effect answers, or why it was refused. What has failed leaves nothing behind. */
async function attempt(db, effect) {
  await db.query("SAVEPOINT effect");
  try {
    return ["done", await effect()];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await db.query("ROLLBACK TO SAVEPOINT effect");
    return ["failed", { code: error.message }];
  }
}

/** Does it once. A repeat gets the first answer; what was compensated is refused for ever. */
async function act(db, key, effect) {
  if (!(await claim(db, key))) {
    const { state, answer } = (await db.query(FIND, key)).rows[0];
    return state in STATUS ? [STATUS[state], answer] : [409, '{"code":"COMPENSATED"}'];
  }
  const [state, answer] = await attempt(db, effect);
  const text = JSON.stringify(answer);
  await db.query(KEEP, [...key, state, text]);
  return [STATUS[state], text];
}

/** Makes sure that the action has no effect, whether it was done, is still to come, or is undone already. */
async function compensate(db, key, undo) {
  await claim(db, key);
  for (const { answer } of (await db.query(UNDO, key)).rows) await undo(JSON.parse(answer));
  return [200, "{}"];
}

async function charge(db, order) {
  if (order.customer === "broke") throw new Refused("INSUFFICIENT_FUNDS");
  const { rows } = await db.query(
    "INSERT INTO payment (customer, cents, state) VALUES ($1, $2, 'charged') RETURNING id",
    [order.customer, order.cents]);
  return { paymentId: Number(rows[0].id) };
}

async function refund(db, payment) {
  await db.query("UPDATE payment SET state = 'refunded' WHERE id = $1", [payment.paymentId]);
}

/** All of it, or nothing. */
async function transaction(work) {
  const db = await pool.connect();
  let isBroken = true;
  try {
    await db.query("BEGIN");
    const result = await work(db);
    await db.query("COMMIT");
    isBroken = false;
    return result;
  } finally {
    db.release(isBroken); // A broken one is closed, which rolls back.
  }
}

async function answerTo(path, headers, body) {
  if (path === "/charge") return transaction((db) => act(db, keyOf(headers), () => charge(db, JSON.parse(body))));
  if (path === "/refund") return transaction((db) => compensate(db, keyOf(headers), (payment) => refund(db, payment)));
  return [404, "{}"];
}

async function serve(request, response) {
  let answer;
  try {
    const parts = [];
    for await (const part of request) parts.push(part);
    answer = await answerTo(request.url, request.headers, Buffer.concat(parts).toString());
  } catch (error) {
    console.error(`${request.url}: ${error.message}`); // Rolled back, or nobody knows; the saga asks again.
    answer = [500, "{}"];
  }
  response.writeHead(answer[0], { "Content-Type": "application/json" }).end(answer[1]);
}

const pool = new pg.Pool({ connectionString: process.argv[2] });
pool.on("error", (error) => console.error(error.message)); // An idle connection was lost; the next one is new.
await pool.query(SCHEMA);
const server = http.createServer(serve).listen(Number(process.argv[3] ?? 8103), "127.0.0.1", () => {
  console.log(`payments at http://127.0.0.1:${server.address().port}/`);
});

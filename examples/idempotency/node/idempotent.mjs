// Makes the write requests of a Node service safe to repeat: Express (or Connect) middleware over the keys of Makegood.
//
// Level 1, around the request: app.use(idempotent({ server, token })). Keys are claimed over REST, from `makegood serve`. The
// application's commit and the finish are two, so the key of a process that died in between is in doubt (`hold`).
// Level 2, inside the transaction: the application runs request.idempotency.finishSql(status, body) as the last statement of its own
// transaction, on PostgreSQL or SQLite. Then give afterLease: "take_over", and nothing is ever in doubt.
//
// The body must have been read as bytes before: express.raw({ type: () => true }), which leaves a Buffer in request.body.
import { createHash } from "node:crypto";

/** As Makegood computes it: every part with its length, so that no two different requests are the same bytes. */
export function fingerprint(method, path, query, contentType, body) {
  const hash = createHash("sha256");
  for (const part of [method, path, query, contentType, body]) {
    const bytes = Buffer.isBuffer(part) ? part : Buffer.from(part);
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest("hex");
}

export function idempotent({ server, token, afterLease = "hold", leaseMs = 30_000, principal = (request) => request.headers.authorization ?? "" }) {
  async function call(verb, fields) {
    const response = await fetch(`${server}/api/idempotency/${verb}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(fields),
    });
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.detail), { code: answer.code });
    return answer;
  }

  return async function (request, response, next) {
    const header = request.headers["idempotency-key"];
    if (!header || !["POST", "PUT", "PATCH", "DELETE"].includes(request.method)) return next();
    const url = new URL(request.originalUrl ?? request.url, "http://localhost");
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    // The route and who asks: an answer is never given to somebody else.
    const who = createHash("sha256").update(principal(request)).digest("hex").slice(0, 16);
    const name = { scope: `${request.method} ${url.pathname} ${who}`, key: header.replace(/^"(.*)"$/, "$1") };
    let claim;
    try {
      const print = fingerprint(request.method, url.pathname, url.search.slice(1), request.headers["content-type"] ?? "", body);
      claim = await call("claim", { ...name, fingerprint: print, lease_ms: leaseMs, after_lease: afterLease });
    } catch (error) {
      return next(error); // Without the store nobody knows: better no answer than a second effect.
    }
    if (claim.outcome === "hit") {
      response.statusCode = claim.status ?? 200;
      response.setHeader("idempotency-replayed", "true");
      if (claim.is_truncated) response.setHeader("idempotency-status", "result_truncated");
      return response.end(Buffer.from(claim.body_base64 ?? "", "base64"));
    }
    if (claim.outcome !== "fresh") {
      response.statusCode = claim.outcome === "mismatch" ? 422 : 409;
      return response.end(`This request is ${claim.outcome}.`);
    }
    const own = { ...name, token: claim.token };
    request.idempotency = {
      ...own,
      isFinished: false,
      /** The statement for the application's own transaction, with its values; it raises if the key was taken over. */
      finishSql(status, content) {
        this.isFinished = true;
        return {
          text: "INSERT INTO makegood_idempotency_finish (scope, key, token, result_status, result_body) VALUES ($1, $2, $3, $4, $5)",
          values: [own.scope, own.key, own.token, status, Buffer.from(content)],
        };
      },
    };
    answerOnceStored(response, (status, content) => {
      const { isFinished } = request.idempotency;
      if (isFinished && status < 300) return;
      // Inside its transaction and no success: it was rolled back, and this releases the key; or it was committed, and this is too late.
      return settle(status, content).catch((error) => {
        if (!isFinished || error.code !== "TX.FENCED") throw error;
      });
    });
    function settle(status, content) {
      if (status >= 500 || status === 429) return call("fail", { ...own, code: `HTTP.${status}` });
      return call("finish", { ...own, status, body_base64: content.toString("base64") });
    }
    next();
  };
}

/** Keeps what the application says back until `store` has committed it. */
function answerOnceStored(response, store) {
  const chunks = [];
  const end = response.end.bind(response);
  response.write = (chunk, encoding) => chunks.push(Buffer.from(chunk, typeof encoding === "string" ? encoding : undefined)) > 0;
  response.end = (chunk, encoding) => {
    if (chunk !== undefined && typeof chunk !== "function") response.write(chunk, encoding);
    const content = Buffer.concat(chunks);
    Promise.resolve(store(response.statusCode, content)).then(
      () => end(content),
      (error) => {
        if (error.code === "TX.FENCED") response.statusCode = 409;
        else response.statusCode = 503;
        end(error.message);
      },
    );
    return response;
  };
}

// Receives messages from Makegood: verifies them, does the work once, and answers. No packages needed.
//
//     WEBHOOK_KEYS="whsec_…" node receiver.mjs 8080 journal.jsonl
//
// Several keys, separated by spaces, are for rotation: any of them is accepted. `whsec_…` is a shared key, `whpk_…` the
// public key of a sender that signs with `whsk_…`.

import { createHmac, createPublicKey, timingSafeEqual, verify as verifyPair } from "node:crypto";
import { appendFileSync, closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

const TOLERANCE_SECONDS = 5 * 60;
const BODY_BYTES_MAX = 1 << 20;
const AT_ONCE_MAX = 256;

/** Never valid, however often it is sent: answered with a 4xx, and then it is a dead letter at the sender. */
class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

/** A function that tells whether this key has made a signature. */
function verifierOf(text) {
  const bytes = Buffer.from(text.slice(text.indexOf("_") + 1), "base64");
  if (text.startsWith("whsec_")) {
    return (version, signature, signed) => {
      const good = createHmac("sha256", bytes).update(signed).digest();
      // Takes the same time wherever the first difference is; "===" would tell.
      return version === "v1" && signature.length === good.length && timingSafeEqual(signature, good);
    };
  }
  if (!text.startsWith("whpk_")) throw new Error("a key begins with whsec_ or whpk_");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") }, format: "jwk" });
  return (version, signature, signed) => version === "v1a" && verifyPair(null, signed, key, signature);
}

/** Throws unless one of the keys has signed exactly these bytes, just now. */
function verify(verifiers, headers, body, nowSeconds) {
  const id = headers["webhook-id"];
  const sentAt = headers["webhook-timestamp"] ?? "";
  if (!id || !/^\d+$/.test(sentAt)) throw new Refused(401, "no webhook-id or webhook-timestamp");
  if (Math.abs(nowSeconds - Number(sentAt)) > TOLERANCE_SECONDS) {
    throw new Refused(401, "signed too long ago; is the clock right?");
  }
  const signed = Buffer.concat([Buffer.from(`${id}.${sentAt}.`), body]);
  for (const one of (headers["webhook-signature"] ?? "").split(" ")) {
    const [version, value = ""] = one.split(",");
    const signature = Buffer.from(value, "base64");
    if (verifiers.some((isSignature) => isSignature(version, signature, signed))) return id;
  }
  throw new Refused(401, "no signature of a key that is known here");
}

/** The event's attributes and its data, from either mode of CloudEvents. */
function readEvent(headers, body) {
  const type = headers["content-type"] ?? "";
  if (type.startsWith("application/cloudevents+json")) {
    const { data, data_base64: bytes, ...event } = checked(JSON.parse(body));
    return { event, data: bytes === undefined ? data : Buffer.from(bytes, "base64") };
  }
  const attributes = Object.entries(headers).filter(([name]) => name.startsWith("ce-"));
  const event = Object.fromEntries(attributes.map(([name, value]) => [name.slice(3), decodeURIComponent(value)]));
  const isJson = type.split(";")[0].endsWith("json");
  return { event: checked(event), data: isJson ? JSON.parse(body) : body };
}

/** It may be any JSON: what is no event is refused here, not stumbled over later. */
function checked(event) {
  const isText = (name) => typeof event[name] === "string";
  if (event === null || !isText("source") || !isText("type") || ("data_base64" in event && !isText("data_base64"))) {
    throw new Refused(422, "no event with a source and a type");
  }
  return event;
}

/**
 * A journal that is only appended to: one line says that an event was handled and what came of it, so neither is ever
 * there without the other. With a database, use a table of handled ids and one transaction instead.
 */
class Journal {
  constructor(path) {
    this.handled = new Set();
    this.file = openSync(path, "a+");
    const text = readFileSync(path);
    const whole = text.subarray(0, text.lastIndexOf("\n") + 1); // A crash may have left half a line: it was not done.
    this.length = whole.length;
    ftruncateSync(this.file, this.length);
    for (const line of whole.toString().split("\n").filter(Boolean)) this.handled.add(JSON.parse(line).key);
  }

  /** Appends the effect unless it is there. On disk when this returns. */
  handle(source, id, effect) {
    const key = `${source} ${id}`; // An id is unique within its source: the outbox and the tenant that it comes from.
    if (this.handled.has(key)) return;
    const line = Buffer.from(JSON.stringify({ key, ...effect }) + "\n");
    try {
      appendFileSync(this.file, line);
      fdatasyncSync(this.file);
    } catch (failure) {
      ftruncateSync(this.file, this.length); // Not half a line, and not an effect that nobody remembers.
      throw failure;
    }
    this.length += line.length;
    this.handled.add(key);
  }

  close() {
    closeSync(this.file);
  }
}

/** What your service does with it. */
function effectOf(event, data) {
  return { topic: event.type, data: Buffer.isBuffer(data) ? data.toString("base64") : data };
}

async function readBody(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > BODY_BYTES_MAX) throw new Refused(413, `at most ${BODY_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts); // The bytes as they came: a body that is parsed and written again is another body.
}

const [port = "8080", path = "journal.jsonl"] = process.argv.slice(2);
const verifiers = process.env.WEBHOOK_KEYS.split(" ").filter(Boolean).map(verifierOf);
const isUnsubscribed = process.env.UNSUBSCRIBED === "1";
const journal = new Journal(path);
let atOnce = 0;

async function receive(request) {
  if (request.method !== "POST") return [405, { Allow: "POST" }];
  if (isUnsubscribed) return [410]; // We want nothing any more: the sender disables us.
  if (atOnce >= AT_ONCE_MAX) return [429, { "Retry-After": "1" }]; // Too much at once: no sooner than this.
  atOnce += 1;
  try {
    const body = await readBody(request);
    const id = verify(verifiers, request.headers, body, Date.now() / 1000);
    const { event, data } = readEvent(request.headers, body);
    journal.handle(event.source, id, effectOf(event, data));
    return [204]; // Done, now or before: a duplicate is a success.
  } catch (failure) {
    if (failure instanceof Refused) return [failure.status, {}, failure.message];
    if (failure instanceof SyntaxError || failure instanceof URIError) return [422, {}, "the event cannot be read"];
    console.error(failure);
    return [503, { "Retry-After": "5" }]; // Our trouble, not the message's: it is sent again.
  } finally {
    atOnce -= 1;
  }
}

const server = createServer(async (request, response) => {
  const [status, headers = {}, reason = ""] = await receive(request);
  if (!request.complete) headers.Connection = "close"; // What was not read must not be taken for the next request.
  response.writeHead(status, headers).end(reason);
});
server.keepAliveTimeout = 60_000; // Keeps connections open; otherwise many messages pay for a new one.
server.listen(Number(port), "127.0.0.1", () => console.log(`listening on port ${server.address().port}`));
process.on("SIGTERM", () => {
  server.close(() => journal.close());
  server.closeIdleConnections();
});

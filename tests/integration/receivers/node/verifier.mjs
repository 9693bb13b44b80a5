// What others use: `standardwebhooks` verifies each request, `cloudevents` reads it. GET tells what was accepted.

import { createServer } from "node:http";
import { HTTP } from "cloudevents";
import { Webhook } from "standardwebhooks";

const verifiers = process.env.WEBHOOK_KEYS.split(" ").filter(Boolean).map((key) => new Webhook(key));
const accepted = new Map();

function verify(body, headers) {
  for (const verifier of verifiers) {
    try {
      return verifier.verify(body, headers);
    } catch (failure) {
      if (failure.message !== "No matching signature found") throw failure;
    }
  }
  throw new Error("No matching signature found");
}

function accept(headers, body) {
  verify(body, headers);
  const event = HTTP.toEvent({ headers, body });
  event.validate();
  accepted.set(headers["webhook-id"], { ...event.toJSON(), mode: headers["ce-id"] ? "binary" : "structured" });
}

const server = createServer(async (request, response) => {
  if (request.method === "GET") return response.end(JSON.stringify([...accepted.values()]));
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    accept(request.headers, Buffer.concat(parts).toString());
    response.writeHead(204).end();
  } catch (failure) {
    response.writeHead(401).end(String(failure.message));
  }
});
server.listen(0, "127.0.0.1", () => console.log(`listening on port ${server.address().port}`));

// The saga for Restate: two durable steps, each with one HTTP call. service.mjs PORT ENDPOINT
import * as http from "node:http";
import * as restate from "@restatedev/restate-sdk";

const [port, endpoint] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

function call(body) {
  return new Promise((resolve, reject) => {
    const request = http.request(endpoint, { method: "POST", agent, headers: { "Content-Type": "application/json" } }, (answer) => {
      answer.resume();
      answer.on("end", () => (answer.statusCode === 200 ? resolve({}) : reject(new Error(`answered ${answer.statusCode}`))));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const saga = restate.service({
  name: "saga",
  handlers: {
    two: async (context, input) => {
      const body = JSON.stringify(input);
      await context.run("first", () => call(body));
      await context.run("second", () => call(body));
      return { done: true };
    },
  },
});

restate.endpoint().bind(saga).listen(Number(port));

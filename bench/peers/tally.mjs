// What the runners in JavaScript have in common: the jobs, and the books about them.

// Does not compress, and makes a payload of about 256 bytes.
const filler = Buffer.from(crypto.getRandomValues(new Uint8Array(144))).toString("base64");

/** Of the jobs from..to: what each of them says. */
export function payloads(from, to) {
  return Array.from({ length: to - from }, (_, i) => ({ i: from + i, kind: "bench", tenant: "t0", filler }));
}

/** Calls `insert` with all payloads, a thousand at a time. */
export async function loadAll(jobs, insert) {
  for (let from = 0; from < jobs; from += 1000) await insert(payloads(from, Math.min(from + 1000, jobs)));
}

/** Which jobs have run, and how often all of them together. */
export class Tally {
  runs = 0;
  distinct = 0;

  constructor(jobs) {
    this.seen = new Uint8Array(jobs);
    this.all = new Promise((resolve) => { this.resolve = resolve; });
  }

  ran(payload) {
    this.runs += 1;
    if (this.seen[payload.i]) return;
    this.seen[payload.i] = 1;
    this.distinct += 1;
    if (this.distinct === this.seen.length) this.resolve();
  }
}

/** From the start of the workers until all jobs have run or the time is over, and the workers have recorded it. */
export async function measure(tally, seconds, start) {
  const began = performance.now();
  const stop = await start();
  let timer;
  await Promise.race([tally.all, new Promise((resolve) => { timer = setTimeout(resolve, seconds * 1000); })]);
  clearTimeout(timer);
  await stop();
  const taken = (performance.now() - began) / 1000;
  console.log(JSON.stringify({ seconds: taken, runs: tally.runs, distinct: tally.distinct }));
}

/** RUNNER load URL JOBS SETTING | RUNNER drain URL JOBS SETTING SECONDS */
export async function main({ load, drain }) {
  const [verb, url, jobs, setting, seconds] = process.argv.slice(2);
  if (verb === "load") await load(url, Number(jobs));
  else await drain(url, Number(jobs), setting, Number(seconds));
  process.exit(0);
}

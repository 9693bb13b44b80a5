// graphile-worker: fetches and completes by batches when it is told to, job by job as it comes.
import { Logger, makeWorkerUtils, run } from "graphile-worker";

import { Tally, loadAll, main, measure } from "./tally.mjs";

const logger = new Logger(() => () => {});
// As in its own documentation on performance.
const batched = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
// Its default is 1; that would be a comparison with a round trip.
const concurrentJobs = 24;

async function load(connectionString, jobs) {
  const worker = await makeWorkerUtils({ connectionString, logger });
  await worker.migrate();
  await loadAll(jobs, (some) => worker.addJobs(some.map((payload) => ({ identifier: "nothing", payload }))));
  await worker.release();
}

async function drain(connectionString, jobs, setting, seconds) {
  const tally = new Tally(jobs);
  const worker = { connectionString, logger, concurrentJobs, ...(setting === "best" ? batched : {}) };
  const taskList = { nothing: async (payload) => tally.ran(payload) };
  await measure(tally, seconds, async () => {
    const runner = await run({ preset: { worker }, taskList, noHandleSignals: true });
    return () => runner.stop();
  });
}

await main({ load, drain });

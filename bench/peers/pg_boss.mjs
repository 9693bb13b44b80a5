// pg-boss: one job every two seconds as it comes, batches without a pause when it is told to.
import { PgBoss } from "pg-boss";

import { Tally, loadAll, main, measure } from "./tally.mjs";

const batched = { batchSize: 1000, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };

async function open(connectionString) {
  const boss = new PgBoss({ connectionString });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  return boss;
}

async function load(connectionString, jobs) {
  const boss = await open(connectionString);
  await boss.createQueue("nothing");
  await loadAll(jobs, (some) => boss.insert("nothing", some.map((data) => ({ data }))));
  await boss.stop();
}

async function drain(connectionString, jobs, setting, seconds) {
  const tally = new Tally(jobs);
  const boss = await open(connectionString);
  await measure(tally, seconds, async () => {
    await boss.work("nothing", setting === "best" ? batched : {}, async (some) => {
      for (const job of some) tally.ran(job.data);
    });
    return () => boss.stop({ graceful: true });
  });
}

await main({ load, drain });

// Tests of the saga `order`, against a running `makegood dev order.yaml`.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

const REST = process.env.REST ?? 'http://127.0.0.1:7700';
const DEV = process.env.DEV ?? 'http://127.0.0.1:7701';

async function ask(method, url, body) {
  const answer = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${url}: ${answer.status} ${text}`);
  return JSON.parse(text || '{}');
}

const program = (path, ...answers) => ask('POST', `${DEV}/dev/answers`, { path, answers });
const calls = async (path) => (await ask('GET', `${DEV}/dev/calls?path=${path}`)).items;
const advance = (by) => ask('POST', `${DEV}/dev/clock/advance`, { by });
const start = (id) => ask('POST', `${REST}/api/saga/execute`, { definition: 'order', id, input: { item: 'book' } });

async function awaitThat(holds, what) {
  const end = Date.now() + 20_000;
  while (Date.now() < end) {
    const found = await holds();
    if (found) return found;
    await pause(20);
  }
  assert.fail(`not within 20 s: ${what}`);
}

const awaitState = (id, state) => awaitThat(async () => {
  const shown = await ask('GET', `${REST}/api/saga/executions/${id}`);
  return shown.state === state ? shown : null;
}, `${id} is ${state}`);

beforeEach(() => ask('POST', `${DEV}/dev/reset`));

test('is paid although the service fails after it has charged', async () => {
  await program('/payments/charge', { status: 500, effect: true }, { status: 200, body: { paymentId: 'p-1' } });
  await start('node-1');
  await awaitThat(async () => (await calls('/payments/charge')).length === 1, 'the first charge');
  await advance('1m');
  assert.deepEqual((await awaitState('node-1', 'completed')).output, { payment: 'p-1' });
});

test('gives the stock back when the payment is refused', async () => {
  await program('/payments/charge', { status: 422, body: { code: 'INSUFFICIENT_FUNDS' } });
  await start('node-2');
  await awaitState('node-2', 'compensated');
  assert.equal((await calls('/stock/release')).length, 1);
});

test('waits for a payment that is confirmed later', async () => {
  await program('/payments/charge', {
    status: 202, callback: { outcome: 'ok', output: { paymentId: 'p-3' } }, callback_after_ms: 100,
  });
  await start('node-3');
  assert.deepEqual((await awaitState('node-3', 'completed')).output, { payment: 'p-3' });
});

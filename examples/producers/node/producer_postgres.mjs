// producer_postgres.mjs URL: invoices, payments and refunds, each with its message in the same PostgreSQL transaction.
// Nothing of Makegood is needed here: a message is a row of makegood_outbox.
import pg from "pg";

/** All of it, or nothing. */
async function transaction(work) {
  await database.query("BEGIN");
  let result;
  try {
    result = await work();
  } catch (error) {
    await database.query("ROLLBACK");
    throw error;
  }
  // After an error that somebody has swallowed, PostgreSQL answers a COMMIT with ROLLBACK.
  const { command } = await database.query("COMMIT");
  if (command !== "COMMIT") throw new Error("the transaction was rolled back");
  return result;
}

/** Messages of one invoice arrive in their order, because they have the same key. */
async function enqueue(topic, event) {
  await database.query("INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload) VALUES ($1, $2, $3, $4)",
    [topic, event.tenantId, event.invoiceId, JSON.stringify(event)]);
}

function generateInvoice(tenantId, total) {
  return transaction(async () => {
    const { rows } = await database.query("INSERT INTO invoice (tenant, total) VALUES ($1, $2) RETURNING id",
      [tenantId, total]);
    await enqueue("billing.invoice.generated.v1",
      { tenantId, invoiceId: `inv-${rows[0].id}`, periodStart: "2026-10-01", periodEnd: "2026-10-31", total,
        currency: "EUR" });
    return rows[0].id;
  });
}

function pay(tenantId, number, amount, isDeclined = false) {
  return transaction(async () => {
    // Locked before the message gets its number: so messages of an invoice are in the order of its changes.
    await database.query("UPDATE invoice SET paid = paid + $1 WHERE id = $2", [amount, number]);
    await enqueue("billing.payment.succeeded.v1",
      { tenantId, invoiceId: `inv-${number}`, transactionId: `tx-${number}`, paymentMethod: "card", amount,
        currency: "EUR", occurredTime: "2026-11-16T09:30:00Z" });
    if (isDeclined) throw new RangeError("the card was declined"); // The message goes with the row.
  });
}

function refund(tenantId, number, amount) {
  return transaction(async () => {
    await database.query("UPDATE invoice SET paid = paid - $1 WHERE id = $2", [amount, number]);
    await enqueue("billing.refund.succeeded.v1",
      { tenantId, invoiceId: `inv-${number}`, refundId: `re-${number}`, amount, currency: "EUR",
        occurredTime: "2026-11-16T11:45:00Z" });
  });
}

const database = new pg.Client({ connectionString: process.argv[2] });
await database.connect();
await database.query("CREATE TABLE IF NOT EXISTS invoice (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY," +
  " tenant text, total bigint, paid bigint DEFAULT 0)");
const number = await generateInvoice("acme", 1990);
await pay("acme", number, 1990);
try {
  await pay("acme", number, 1, true);
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
}
await refund("acme", number, 500);
await database.end();
console.log(`inv-${number}: generated, paid and refunded; three messages are committed with it`);

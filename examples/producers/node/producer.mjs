// producer.mjs DATABASE: invoices, payments and refunds, each with its message in the same SQLite transaction.
// Nothing of Makegood is needed here: a message is a row of makegood_outbox.

// Node 22.13 has SQLite built in; for older ones `npm install` fetches a package with the same interface.
async function openDatabase(path) {
  const { DatabaseSync } = await import("node:sqlite").catch(() => import("@photostructure/sqlite"));
  return new DatabaseSync(path);
}

/** All of it, or nothing. IMMEDIATE: what is read in it is still true when it writes. */
function transaction(work) {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // A full disk has ended it already; the first error tells more.
    }
    throw error;
  }
}

/** Messages of one invoice arrive in their order, because they have the same key. */
function enqueue(topic, event) {
  database
    .prepare("INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload) VALUES (?, ?, ?, ?)")
    .run(topic, event.tenantId, event.invoiceId, JSON.stringify(event));
}

function generateInvoice(tenantId, total) {
  return transaction(() => {
    const row = database.prepare("INSERT INTO invoice (tenant, total) VALUES (?, ?)").run(tenantId, total);
    const invoiceId = `inv-${row.lastInsertRowid}`;
    enqueue("billing.invoice.generated.v1",
      { tenantId, invoiceId, periodStart: "2026-10-01", periodEnd: "2026-10-31", total, currency: "EUR" });
    return row.lastInsertRowid;
  });
}

function pay(tenantId, number, amount, isDeclined = false) {
  transaction(() => {
    database.prepare("UPDATE invoice SET paid = paid + ? WHERE id = ?").run(amount, number);
    enqueue("billing.payment.succeeded.v1",
      { tenantId, invoiceId: `inv-${number}`, transactionId: `tx-${number}`, paymentMethod: "card", amount,
        currency: "EUR", occurredTime: "2026-11-16T09:30:00Z" });
    if (isDeclined) throw new RangeError("the card was declined"); // The message goes with the row.
  });
}

function refund(tenantId, number, amount) {
  transaction(() => {
    database.prepare("UPDATE invoice SET paid = paid - ? WHERE id = ?").run(amount, number);
    enqueue("billing.refund.succeeded.v1",
      { tenantId, invoiceId: `inv-${number}`, refundId: `re-${number}`, amount, currency: "EUR",
        occurredTime: "2026-11-16T11:45:00Z" });
  });
}

const database = await openDatabase(process.argv[2]);
database.exec("PRAGMA busy_timeout = 5000");
database.exec("CREATE TABLE IF NOT EXISTS invoice" +
  " (id INTEGER PRIMARY KEY, tenant TEXT, total INTEGER, paid INTEGER DEFAULT 0)");
const number = generateInvoice("acme", 1990);
pay("acme", number, 1990);
try {
  pay("acme", number, 1, true);
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
}
refund("acme", number, 500);
database.close();
console.log(`inv-${number}: generated, paid and refunded; three messages are committed with it`);

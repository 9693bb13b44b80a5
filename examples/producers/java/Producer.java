import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Producer DATABASE: invoices, payments and refunds, each with its message in the same SQLite transaction.
 * Nothing of Makegood is needed here: a message is a row of makegood_outbox.
 */
public class Producer {
  private final Connection database;

  private Producer(Connection database) {
    this.database = database;
  }

  private interface Work {
    void run() throws SQLException;
  }

  private static class Declined extends RuntimeException {}

  /** All of it, or nothing. */
  private void transaction(Work work) throws SQLException {
    database.setAutoCommit(false);
    try {
      work.run();
      database.commit();
    } catch (SQLException | RuntimeException error) {
      database.rollback();
      throw error;
    } finally {
      database.setAutoCommit(true);
    }
  }

  private void execute(String sql, Object... values) throws SQLException {
    try (var statement = database.prepareStatement(sql)) {
      for (int i = 0; i < values.length; ++i) statement.setObject(i + 1, values[i]);
      statement.executeUpdate();
    }
  }

  /** The JSON is put together by SQLite, so that nothing needs to be escaped here. The key keeps the order. */
  private void enqueue(String topic, String tenant, String invoice, String fields, Object... values)
      throws SQLException {
    Object[] all = new Object[values.length + 5];
    System.arraycopy(new Object[] {topic, tenant, invoice, tenant, invoice}, 0, all, 0, 5);
    System.arraycopy(values, 0, all, 5, values.length);
    execute("INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload)"
        + " VALUES (?, ?, ?, json_object('tenantId', ?, 'invoiceId', ?, " + fields + "))", all);
  }

  private long generateInvoice(String tenant, long total) throws SQLException {
    long[] number = new long[1];
    transaction(() -> {
      execute("INSERT INTO invoice (tenant, total) VALUES (?, ?)", tenant, total);
      try (Statement statement = database.createStatement();
          var row = statement.executeQuery("SELECT last_insert_rowid()")) {
        number[0] = row.getLong(1);
      }
      enqueue("billing.invoice.generated.v1", tenant, "inv-" + number[0],
          "'periodStart', ?, 'periodEnd', ?, 'total', ?, 'currency', ?", "2026-10-01", "2026-10-31", total, "EUR");
    });
    return number[0];
  }

  private void pay(String tenant, long number, long amount, boolean isDeclined) throws SQLException {
    transaction(() -> {
      execute("UPDATE invoice SET paid = paid + ? WHERE id = ?", amount, number);
      enqueue("billing.payment.succeeded.v1", tenant, "inv-" + number,
          "'transactionId', ?, 'paymentMethod', ?, 'amount', ?, 'currency', ?, 'occurredTime', ?", "tx-" + number,
          "card", amount, "EUR", "2026-11-16T09:30:00Z");
      if (isDeclined) throw new Declined();  // The message goes with the row.
    });
  }

  private void refund(String tenant, long number, long amount) throws SQLException {
    transaction(() -> {
      execute("UPDATE invoice SET paid = paid - ? WHERE id = ?", amount, number);
      enqueue("billing.refund.succeeded.v1", tenant, "inv-" + number,
          "'refundId', ?, 'amount', ?, 'currency', ?, 'occurredTime', ?", "re-" + number, amount, "EUR",
          "2026-11-16T11:45:00Z");
    });
  }

  public static void main(String[] arguments) throws SQLException {
    // IMMEDIATE: what is read in a transaction is still true when it writes.
    String url = "jdbc:sqlite:" + arguments[0] + "?transaction_mode=IMMEDIATE&busy_timeout=5000";
    try (Connection database = DriverManager.getConnection(url)) {
      var producer = new Producer(database);
      producer.execute("CREATE TABLE IF NOT EXISTS invoice"
          + " (id INTEGER PRIMARY KEY, tenant TEXT, total INTEGER, paid INTEGER DEFAULT 0)");
      long number = producer.generateInvoice("acme", 1990);
      producer.pay("acme", number, 1990, false);
      try {
        producer.pay("acme", number, 1, true);
      } catch (Declined expected) {
        // Neither the payment nor its message is there.
      }
      producer.refund("acme", number, 500);
      System.out.println("inv-" + number + ": generated, paid and refunded; three messages are committed with it");
    }
  }
}

import com.google.gson.Gson;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * PostgresProducer JDBC-URL: invoices, payments and refunds, each with its message in the same PostgreSQL transaction.
 * Nothing of Makegood is needed here: a message is a row of makegood_outbox.
 */
public class PostgresProducer {
  private record InvoiceGenerated(
      String tenantId, String invoiceId, String periodStart, String periodEnd, long total, String currency) {}

  private record PaymentSucceeded(String tenantId, String invoiceId, String transactionId, String paymentMethod,
      long amount, String currency, String occurredTime) {}

  private record RefundSucceeded(
      String tenantId, String invoiceId, String refundId, long amount, String currency, String occurredTime) {}

  private interface Work {
    void run() throws SQLException;
  }

  private static class Declined extends RuntimeException {}

  private final Connection database;
  private final Gson json = new Gson();

  private PostgresProducer(Connection database) {
    this.database = database;
  }

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

  /** Messages of one invoice arrive in their order, because they have the same key. */
  private void enqueue(String topic, String tenant, String invoice, Object event) throws SQLException {
    // The driver says that a String is varchar, which PostgreSQL does not take for JSON without being asked to.
    execute("INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload) VALUES (?, ?, ?, ?::json)", topic,
        tenant, invoice, json.toJson(event));
  }

  private long generateInvoice(String tenant, long total) throws SQLException {
    long[] number = new long[1];
    transaction(() -> {
      String insert = "INSERT INTO invoice (tenant, total) VALUES (?, ?) RETURNING id";
      try (var statement = database.prepareStatement(insert)) {
        statement.setString(1, tenant);
        statement.setLong(2, total);
        try (var row = statement.executeQuery()) {
          row.next();
          number[0] = row.getLong(1);
        }
      }
      String invoice = "inv-" + number[0];
      enqueue("billing.invoice.generated.v1", tenant, invoice,
          new InvoiceGenerated(tenant, invoice, "2026-10-01", "2026-10-31", total, "EUR"));
    });
    return number[0];
  }

  private void pay(String tenant, long number, long amount, boolean isDeclined) throws SQLException {
    transaction(() -> {
      // Locked before the message gets its number: so messages of an invoice are in the order of its changes.
      execute("UPDATE invoice SET paid = paid + ? WHERE id = ?", amount, number);
      String invoice = "inv-" + number;
      enqueue("billing.payment.succeeded.v1", tenant, invoice,
          new PaymentSucceeded(tenant, invoice, "tx-" + number, "card", amount, "EUR", "2026-11-16T09:30:00Z"));
      if (isDeclined) throw new Declined();  // The message goes with the row.
    });
  }

  private void refund(String tenant, long number, long amount) throws SQLException {
    transaction(() -> {
      execute("UPDATE invoice SET paid = paid - ? WHERE id = ?", amount, number);
      String invoice = "inv-" + number;
      enqueue("billing.refund.succeeded.v1", tenant, invoice,
          new RefundSucceeded(tenant, invoice, "re-" + number, amount, "EUR", "2026-11-16T11:45:00Z"));
    });
  }

  public static void main(String[] arguments) throws SQLException {
    try (Connection database = DriverManager.getConnection(arguments[0])) {
      var producer = new PostgresProducer(database);
      producer.execute("CREATE TABLE IF NOT EXISTS invoice (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
          + " tenant text, total bigint, paid bigint DEFAULT 0)");
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

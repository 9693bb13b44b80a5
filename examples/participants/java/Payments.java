import com.google.gson.Gson;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Payments JDBC-URL [PORT]: payments as a participant of a saga, on PostgreSQL. POST /charge is the action, POST
 * /refund its compensation.
 */
public class Payments {
  private static final String SCHEMA = """
      CREATE TABLE IF NOT EXISTS payment (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text, cents bigint, state text);
      CREATE TABLE IF NOT EXISTS saga_barrier (
        tenant text NOT NULL, execution text NOT NULL, step text NOT NULL,
        round integer NOT NULL,  -- of the action
        state text NOT NULL,     -- refused, done, failed, undone
        answer text,             -- what was answered, and will be again
        PRIMARY KEY (tenant, execution, step, round));
      """;
  private static final String OF_THE_ROUND = " WHERE tenant = ? AND execution = ? AND step = ? AND round = ?";
  /** Rows for all rounds up to this one. Whoever inserts a row decides about that round; all others read it. */
  private static final String CLAIM = """
      WITH RECURSIVE rounds (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rounds WHERE n < ?)
      INSERT INTO saga_barrier (tenant, execution, step, round, state)
      SELECT ?, ?, ?, n, 'refused' FROM rounds ORDER BY n
      ON CONFLICT DO NOTHING RETURNING round
      """;
  private static final String FIND = "SELECT state, answer FROM saga_barrier" + OF_THE_ROUND;
  private static final String KEEP = "UPDATE saga_barrier SET state = ?, answer = ?" + OF_THE_ROUND;
  private static final String UNDO = """
      UPDATE saga_barrier SET state = 'undone'
      WHERE tenant = ? AND execution = ? AND step = ? AND round <= ? AND state = 'done' RETURNING answer
      """;

  private record Key(String tenant, String execution, String step, int round) {}

  private record Answer(int status, String body) {}

  private record Order(String customer, long cents) {}

  private record Payment(long paymentId) {}

  /** Certainly not done, and it will not be: the saga gets the code. */
  private static class Refused extends Exception {
    Refused(String code) {
      super(code);
    }
  }

  private interface Effect {
    Object run() throws SQLException, Refused;
  }

  private interface Undo {
    void run(String answer) throws SQLException;
  }

  private final DataSource database;
  private final Gson json = new Gson();

  private Payments(DataSource database) {
    this.database = database;
  }

  private static Key keyOf(Headers headers) {
    boolean isAction = "action".equals(headers.getFirst("makegood-direction"));
    String round = headers.getFirst(isAction ? "makegood-round" : "makegood-action-round");
    return new Key(headers.getFirst("makegood-tenant"), headers.getFirst("makegood-execution"),
        headers.getFirst("makegood-step"), Integer.parseInt(round));
  }

  private static PreparedStatement prepare(Connection db, String sql, Object... values) throws SQLException {
    PreparedStatement statement = db.prepareStatement(sql);
    for (int i = 0; i < values.length; ++i) statement.setObject(i + 1, values[i]);
    return statement;
  }

  private static void execute(Connection db, String sql, Object... values) throws SQLException {
    try (var statement = prepare(db, sql, values)) {
      statement.execute();
    }
  }

  /** True: nobody has decided about this round yet, and now nobody else will. */
  private static boolean claim(Connection db, Key key) throws SQLException {
    boolean isOurs = false;
    try (var statement = prepare(db, CLAIM, key.round, key.tenant, key.execution, key.step);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) isOurs |= rows.getInt(1) == key.round;
    }
    return isOurs;
  }

  /** What was decided about this round before. */
  private static Answer stored(Connection db, Key key) throws SQLException {
    try (var statement = prepare(db, FIND, key.tenant, key.execution, key.step, key.round);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return switch (row.getString(1)) {
        case "done" -> new Answer(200, row.getString(2));
        case "failed" -> new Answer(422, row.getString(2));
        default -> new Answer(409, "{\"code\":\"COMPENSATED\"}");
      };
    }
  }

  private Answer keep(Connection db, Key key, String state, int status, Object answer) throws SQLException {
    String text = json.toJson(answer);
    execute(db, KEEP, state, text, key.tenant, key.execution, key.step, key.round);
    return new Answer(status, text);
  }

  /** Does it once. A repeat gets the first answer; what was compensated is refused for ever. */
  private Answer act(Connection db, Key key, Effect effect) throws SQLException {
    if (!claim(db, key)) return stored(db, key);
    var before = db.setSavepoint();
    try {
      return keep(db, key, "done", 200, effect.run());
    } catch (Refused refused) {
      db.rollback(before);  // What has failed leaves nothing behind.
      return keep(db, key, "failed", 422, Map.of("code", refused.getMessage()));
    }
  }

  /** Makes sure that the action has no effect, whether it was done, is still to come, or is undone already. */
  private static Answer compensate(Connection db, Key key, Undo undo) throws SQLException {
    claim(db, key);
    List<String> answers = new ArrayList<>();
    try (var statement = prepare(db, UNDO, key.tenant, key.execution, key.step, key.round);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) answers.add(rows.getString(1));
    }
    for (String answer : answers) undo.run(answer);
    return new Answer(200, "{}");
  }

  private static Payment charge(Connection db, Order order) throws SQLException, Refused {
    if (order.customer.equals("broke")) throw new Refused("INSUFFICIENT_FUNDS");
    String sql = "INSERT INTO payment (customer, cents, state) VALUES (?, ?, 'charged') RETURNING id";
    try (var statement = prepare(db, sql, order.customer, order.cents); ResultSet row = statement.executeQuery()) {
      row.next();
      return new Payment(row.getLong(1));
    }
  }

  private static void refund(Connection db, Payment payment) throws SQLException {
    execute(db, "UPDATE payment SET state = 'refunded' WHERE id = ?", payment.paymentId);
  }

  private Answer route(Connection db, String path, Key key, String body) throws SQLException {
    return switch (path) {
      case "/charge" -> act(db, key, () -> charge(db, json.fromJson(body, Order.class)));
      case "/refund" -> compensate(db, key, answer -> refund(db, json.fromJson(answer, Payment.class)));
      default -> new Answer(404, "{}");
    };
  }

  /** All of it, or nothing: a connection that is closed before its commit rolls back. */
  private Answer answerTo(String path, Headers headers, String body) throws SQLException {
    try (Connection db = database.getConnection()) {
      db.setAutoCommit(false);
      Answer answer = route(db, path, keyOf(headers), body);
      db.commit();
      return answer;
    }
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      Answer answer;
      try {
        answer = answerTo(exchange.getRequestURI().getPath(), exchange.getRequestHeaders(), body);
      } catch (SQLException | RuntimeException error) {
        System.err.println(exchange.getRequestURI().getPath() + ": " + error.getMessage());
        answer = new Answer(500, "{}");  // Rolled back, or nobody knows; the saga asks again.
      }
      byte[] bytes = answer.body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  public static void main(String[] arguments) throws SQLException, IOException {
    var database = new PGSimpleDataSource();  // A service with traffic takes a pool instead, as HikariCP.
    database.setURL(arguments[0]);
    try (Connection db = database.getConnection()) {
      execute(db, SCHEMA);
    }
    int port = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 8103;
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", new Payments(database)::serve);
    server.start();
    System.out.println("payments at http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }
}

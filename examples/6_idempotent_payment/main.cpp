// A request that arrives again counts once: with an effect elsewhere (a card is charged), with an effect in the
// program's own SQLite transaction (an account), and for an event that a consumer has applied before.
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <makegood/claims.hpp>
#include <makegood/sqlite_idempotency.hpp>
#include <memory>
#include <string>

namespace {

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using makegood::ClaimOutcome;
using makegood::ClaimRequest;
using makegood::ClaimToken;
using makegood::Result;
using makegood::StoredResult;

/// A real program would handle its errors; this one stops at the first, as `value()` does.
void must(bool is_fine, const char* why) {
  if (is_fine) return;
  std::fprintf(stderr, "%s\n", why);
  std::exit(1);
}

Database open_database(const std::string& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(path.c_str(), &opened);
  Database database(opened, sqlite3_close);
  must(status == SQLITE_OK, "The database cannot be opened.");
  sqlite3_busy_timeout(opened, 5000);
  return database;
}

void execute(sqlite3* database, const char* sql) {
  must(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sqlite3_errmsg(database));
}

ClaimRequest request_for(const std::string& scope, const std::string& key, const std::string& body) {
  return {.key = {.scope = scope, .key = key},
          .fingerprint = makegood::fingerprint_of({.method = "POST", .path = "/" + scope, .body = body})};
}

/// Stands for a call to somebody else: it must not happen twice, and no transaction of ours covers it.
Result<StoredResult> charge_card(const ClaimToken& /*claim*/) {
  std::printf("the card is charged\n");
  return StoredResult{.digest = "charge 17"};
}

void charge(makegood::Idempotency& idempotency, const std::string& key, const std::string& body) {
  const auto ran = idempotency.run_once(request_for("charge", key, body), charge_card);
  if (!ran) {
    std::printf("charge: refused, %s\n", std::string(to_string(ran.error().code)).c_str());
    return;
  }
  std::printf("charge: %s%s\n", ran->result.digest.c_str(), ran->is_replay ? ", as it was answered before" : "");
}

/// Key and effect are one commit.
void withdraw(sqlite3* database, makegood::sqlite::Keys& keys, const std::string& key, const std::string& body) {
  execute(database, "BEGIN IMMEDIATE");
  const auto once = keys.once(request_for("withdraw", key, body), {.digest = "10 withdrawn"});
  if (!once || once->outcome != ClaimOutcome::fresh) {
    if (sqlite3_get_autocommit(database) == 0) execute(database, "ROLLBACK");
    const bool is_hit = once && once->outcome == ClaimOutcome::hit;
    std::printf("withdraw: %s\n", is_hit ? (once->result.digest + ", as before").c_str() : "refused");
    return;
  }
  execute(database, "UPDATE account SET balance = balance - 10");
  execute(database, "COMMIT");
  std::printf("withdraw: 10 withdrawn\n");
}

/// What a consumer does with each delivery, in the transaction that applies the event.
void apply_event(sqlite3* database, makegood::sqlite::Keys& keys, const std::string& event_id) {
  execute(database, "BEGIN IMMEDIATE");
  const auto seen = keys.seen(
      {.consumer = "billing", .source = "shop", .event_id = event_id, .event_time = makegood::system_clock().now()});
  must(static_cast<bool>(seen), "The inbox cannot be asked.");
  if (*seen == makegood::Seen::fresh) execute(database, "UPDATE account SET balance = balance + 1");
  execute(database, "COMMIT");
  std::printf("event: %s\n", *seen == makegood::Seen::fresh ? "applied" : "seen before");
}

int balance_of(sqlite3* database) {
  sqlite3_stmt* statement = nullptr;
  must(sqlite3_prepare_v2(database, "SELECT balance FROM account", -1, &statement, nullptr) == SQLITE_OK,
       "There is no account.");
  sqlite3_step(statement);
  const int balance = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return balance;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "payment.db";
  const std::string key = argc > 2 ? argv[2] : "request-7";
  const std::string body = argc > 3 ? argv[3] : R"({"amount": 10})";
  auto idempotency = makegood::Idempotency::open("sqlite:" + path).value();  // It makes the tables.
  const Database database = open_database(path);
  execute(database.get(), "CREATE TABLE IF NOT EXISTS account (balance INTEGER NOT NULL)");
  execute(database.get(), "INSERT INTO account SELECT 100 WHERE NOT EXISTS (SELECT 1 FROM account)");
  auto keys = makegood::sqlite::Keys::open(database.get()).value();

  charge(idempotency, key, body);
  withdraw(database.get(), keys, key, body);
  apply_event(database.get(), keys, "event of " + key);
  std::printf("balance: %d\n", balance_of(database.get()));
}

// An order as a saga whose steps are functions of this program. Customers called `broke` cannot pay.
#include <sqlite3.h>

#include <cstdio>
#include <makegood/makegood.hpp>
#include <makegood/saga_builder.hpp>
#include <makegood/sqlite_saga.hpp>

using namespace makegood;
using namespace std::chrono_literals;

struct Order {
  std::string customer, item;
  int quantity = 1, cents = 0;
};
MAKEGOOD_FIELDS(Order, customer, item, quantity, cents)
struct Placed {
  long long order = 0;
};
MAKEGOOD_FIELDS(Placed, order)

void run(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr)) throw retry("SHOP.AWAY", sqlite3_errmsg(db));
}

void validate(Step&, const Order& order) {
  if (order.quantity < 1) throw fail("INVALID_QUANTITY");
}
// These get the open transaction of the shop's database, with the barrier's row in it: done once, undone once.
Placed create(Step&, const Order&, sqlite3* db) {
  run(db, "INSERT INTO orders (state) VALUES ('placed')");
  return {sqlite3_last_insert_rowid(db)};
}
void cancel(Step&, const Order&, const Placed& placed, sqlite3* db) {
  run(db, "UPDATE orders SET state = 'cancelled' WHERE id = " + std::to_string(placed.order));
}
void reserve(Step&, const Order& order, sqlite3* db) {
  run(db, "UPDATE stock SET free = free - " + std::to_string(order.quantity) + " WHERE free > 0");
  if (sqlite3_changes(db) == 0) throw fail("OUT_OF_STOCK");
}
void release(Step&, const Order& order, sqlite3* db) {
  run(db, "UPDATE stock SET free = free + " + std::to_string(order.quantity));
}
// These stand for a bank that knows the key of what it has done.
void charge(Step&, const Order& order) {
  if (order.customer == "broke") throw fail("INSUFFICIENT_FUNDS");
}
void refund(Step&, const Order&) {}
void confirm(Step&, const Order&) {}
void notify(Step& step, const Order&) {
  std::printf("Order %lld is on its way.\n", step.output<Placed>("createOrder")->order);
}

int main() {
  sqlite3* db = nullptr;
  sqlite3_open("shop.db", &db);
  sqlite3_busy_timeout(db, 5000);
  run(db, "CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT); CREATE TABLE stock AS SELECT 5 AS free");
  const auto shop = sqlite::open_step_database("shop.db").value();
  // clang-format off
  const auto process = saga<Order>("orderProcess").deadline(30min)
      .step("validateOrder", validate).no_effect()
      .step("createOrder", transaction(shop, create)).compensation(transaction(shop, cancel))
      .step("reserveStock", transaction(shop, reserve)).compensation(transaction(shop, release))
      .beside("payment", charge).compensation(refund).timeout(10s)
      .pivot("confirmStock", confirm)
      .step("sendNotification", notify).reads("createOrder");
  // clang-format on
  Node node = Node::open("sqlite:shop.db").value();
  node.add(process).start().value();
  for (const std::string customer : {"ann", "broke"}) {
    run(db, "BEGIN IMMEDIATE");
    process.start(db, {customer, "book", 2, 1990}, {.id = customer}).value();
    run(db, "COMMIT");
    const auto end = node.wait_for_saga(customer, 30s).value().value();
    std::printf("%s: %s\n", customer.c_str(), std::string(to_string(end.summary.state)).c_str());
  }
  sqlite3_close(db);
}

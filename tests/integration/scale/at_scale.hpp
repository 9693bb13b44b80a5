// A lane over a real SQLite file, with time that passes only when told: an hour takes as long as its work.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/support/relay_by_hand.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood {

using namespace std::chrono_literals;
using testing_support::RelayByHand;

inline bool is_full_size() { return std::getenv("MAKEGOOD_FULL_SIZE") != nullptr; }

class AtScale : public testing::Test {
 protected:
  AtScale() {
    options.is_cleaner_enabled = false;
    options.destinations = {{.name = "fn:a"}};
    options.routes = {{"*", "fn:a"}};
  }

  void enqueue(std::size_t count, const std::vector<NewMessage>& likes) {
    std::vector<NewMessage> batch;
    for (std::size_t i = 0; i < count; ++i) batch.push_back(likes[i % likes.size()]);
    ASSERT_TRUE(producer_->enqueue(batch));
  }
  static NewMessage message(std::string tenant, std::string key = {}) {
    std::string payload(202, 'x');
    payload.front() = payload.back() = '"';
    return {.topic = "orders.placed",
            .payload = std::move(payload),
            .tenant_id = std::move(tenant),
            .dispatch_key = std::move(key)};
  }
  void take() { ASSERT_TRUE(relay().take()); }
  RelayByHand& relay() {
    if (!relay_) relay_.emplace(*store_, clock, options);
    return *relay_;
  }
  std::string ask(NewRequest request) {
    request.operator_name = "ann";
    const std::int64_t id = value_of(operators_->request(request));
    relay().exchange();
    return value_of(operators_->answer_to(id)).value_or("no answer");
  }
  std::size_t count(const std::string& what) { return std::stoull(sqlite::Application(file()).ask("SELECT " + what)); }
  std::string file() const { return folder_.file("app.db"); }
  std::unique_ptr<OutboxStore> migrated_store() {
    auto store = value_of(sqlite::open_store(file(), "makegood_outbox", clock));
    must(store->migrate());
    return store;
  }
  Position position() { return value_of(operators_->lane()).position; }

  DispatcherOptions options;
  testing_support::FakeClock clock;

 private:
  testing_support::TemporaryFolder folder_;
  std::unique_ptr<OutboxStore> store_ = migrated_store();
  std::unique_ptr<OutboxStore> producer_ = value_of(sqlite::open_store(file(), "makegood_outbox", clock));
  std::unique_ptr<OutboxView> operators_ = value_of(sqlite::open_outbox_view(file(), "makegood_outbox", clock));
  std::optional<RelayByHand> relay_;
};

/// The order in which deliveries arrived for the first time, per key.
class FirstArrivals {
 public:
  void add(const Delivery& delivery) {
    Sequence& last = last_[std::string(delivery.message->dispatch_key)];
    ++count_;
    if (delivery.message->sequence <= last) ++out_of_order_;
    last = delivery.message->sequence;
  }
  std::size_t count() const { return count_; }
  std::size_t out_of_order() const { return out_of_order_; }

 private:
  std::map<std::string, Sequence> last_;
  std::size_t count_ = 0;
  std::size_t out_of_order_ = 0;
};

}  // namespace makegood

// The connection to the server is lost at the n-th byte, for every n that matters, the reply to COMMIT included.
// MAKEGOOD_FULL_SIZE=1 takes every single byte.
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "makegood/node.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

using testing_support::CuttingProxy;
using testing_support::Way;

constexpr Duration delivered_within = 30s;
constexpr int relay_cuts = 16;

/// After which bytes it is cut: some, and each of the last ones, where the commit and its reply are.
std::vector<std::uint64_t> cuts_in(std::uint64_t bytes) {
  constexpr std::uint64_t stride = 29;
  constexpr std::uint64_t last_ones = 24;
  const bool is_full_size = std::getenv("MAKEGOOD_FULL_SIZE") != nullptr;
  std::vector<std::uint64_t> cuts;
  for (std::uint64_t n = 1; n <= bytes; ++n) {
    if (is_full_size || n % stride == 1 || n + last_ones > bytes) cuts.push_back(n);
  }
  return cuts;
}

/// Where the port stands in `postgres://user:password@host:port/database`.
std::pair<std::size_t, std::size_t> place_of_port(const std::string& url) {
  const std::size_t begin = url.find(':', url.find('@')) + 1;
  return {begin, url.find('/', begin) - begin};
}

std::uint16_t port_of(const std::string& url) {
  const auto [begin, length] = place_of_port(url);
  return static_cast<std::uint16_t>(std::stoi(url.substr(begin, length)));
}

template <class T>
bool is_known(const Result<T>& result) {
  return result.has_value() || result.error().code != Errc::in_doubt;
}

template <class T>
std::string outcome_of(const Result<T>& result) {
  return result.has_value() ? "done" : std::string(to_string(result.error().code));
}

void tell(std::uint64_t bytes, std::map<std::string, int> outcomes) {
  EXPECT_GT(outcomes["STORAGE.UNAVAILABLE"], 0);
  EXPECT_GT(outcomes["TX.IN_DOUBT"], 0);
  for (const auto& [outcome, times] : outcomes) fmt::print("{} bytes: {} × {}\n", bytes, times, outcome);
}

class Cut : public PostgresTest, public testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    proxy_.emplace(port_of(url()));
    const auto [begin, length] = place_of_port(url());
    far_url_ = std::string(url()).replace(begin, length, std::to_string(proxy_->port()));
    far_url_ += "?application_name=" + schema().name();
    far_ = value_of(postgres::open_store(far_url_, outbox()));
  }

  CuttingProxy& proxy() { return *proxy_; }
  OutboxStore& far() { return *far_; }
  const std::string& far_url() const { return far_url_; }
  std::int64_t count(const std::string& table_where) {
    return std::stoll(app().run("SELECT count(*) FROM " + table_where));
  }

  /// The server has noticed the loss, and whatever it was still doing has come to its end.
  void await_end_of_session() {
    const std::string sessions =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + schema().name() + "'";
    ASSERT_TRUE(becomes_true([&] { return app().run(sessions) == "0"; }));
  }

  /// How many bytes go this way while `work` is done on a good connection.
  std::uint64_t bytes_of(Way way, const std::function<void()>& work) {
    const std::uint64_t before = proxy().passed(way);
    work();
    return proxy().passed(way) - before;
  }

  /// After a loss it fails once or twice, and then no more.
  template <class Call>
  auto until_it_works(Call call) {
    constexpr int tries_max = 5;
    for (int tries = 1; tries < tries_max; ++tries) {
      if (auto result = call()) return value_of(std::move(result));
    }
    return value_of(call());
  }

 private:
  std::optional<CuttingProxy> proxy_;
  std::string far_url_;
  std::unique_ptr<OutboxStore> far_;
};

INSTANTIATE_TEST_SUITE_P(EitherWay, Cut, testing::Values(Way::to_server, Way::to_client),
                         [](const auto& way) { return way.param == Way::to_server ? "ToTheServer" : "ToTheClient"; });

TEST_P(Cut, AnEnqueueIsNeverDoneTwiceAndSaysWhenItDoesNotKnow) {
  const auto enqueue = [this](const std::string& name) {
    return far().enqueue(
        std::vector<NewMessage>{a_message(name).with_payload('"' + name + std::string(200, 'x') + '"')});
  };
  value_of(enqueue("warm"));
  const std::uint64_t bytes = bytes_of(GetParam(), [&] { value_of(enqueue("counted")); });
  std::map<std::string, int> outcomes;
  for (const std::uint64_t n : cuts_in(bytes)) {
    const std::string name = "m" + std::to_string(n);
    const std::string rows = outbox() + " WHERE event_id = '" + testing_support::event_id_for(name) + "'";
    proxy().cut_after(GetParam(), n);
    const auto result = enqueue(name);
    proxy().cut();
    await_end_of_session();
    const std::int64_t found = count(rows);
    if (is_known(result)) {
      EXPECT_EQ(found, result.has_value() ? 1 : 0) << "cut after byte " << n << " of " << bytes;
    }
    ++outcomes[outcome_of(result)];
    until_it_works([&] { return enqueue(name); });
    EXPECT_EQ(count(rows), 1) << "cut after byte " << n << " of " << bytes;
  }
  tell(bytes, outcomes);
}

TEST_P(Cut, ATurnIsThereExactlyWhenItIsSaidToBe) {
  Owner owner = "o0";
  Taken taken = value_of(far().take(owner, lease, {})).value();
  const auto exchange = [&](const Owner& by, const Taken& after) -> Result<Committed> {
    MAKEGOOD_TRY(far().look(all_beyond(0)));
    return far().commit({.owner = by, .after = after.turn, .lease = lease});
  };
  const std::uint64_t bytes = bytes_of(GetParam(), [&] { taken.turn = value_of(exchange(owner, taken)).turn; });
  std::map<std::string, int> outcomes;
  for (const std::uint64_t n : cuts_in(bytes)) {
    proxy().cut_after(GetParam(), n);
    const auto result = exchange(owner, taken);
    proxy().cut();
    const Owner taker = "o" + std::to_string(n);
    const TurnNumber before = taken.turn;
    taken = until_it_works([&] { return far().take(taker, lease, owner); }).value();
    const std::int64_t found = taken.turn - 1 - before;
    if (is_known(result)) {
      EXPECT_EQ(found, result.has_value() ? 1 : 0) << "cut after byte " << n << " of " << bytes;
    }
    EXPECT_LE(found, 1) << "cut after byte " << n << " of " << bytes;
    ++outcomes[outcome_of(result)];
    owner = taker;
  }
  tell(bytes, outcomes);
}

/// A relay behind the proxy, and what it has delivered.
class CutRelay : public Cut {
 protected:
  void SetUp() override {
    Cut::SetUp();
    if (IsSkipped()) return;
    relay_.emplace(value_of(Node::open(far_url(), {.relay = {.outbox = outbox(), .safety_interval = 200ms}})));
    relay_->on("orders.*", "books", [this](const Delivery& delivery) {
      const std::lock_guard lock(mutex_);
      delivered_.insert(name_of(*delivery.message));
      changed_.notify_all();
      return Outcome::ok();
    });
    must(relay_->start());
  }
  void TearDown() override {
    if (relay_) relay_->stop();
  }

  void expect_delivery(const std::string& name) {
    insert(name);
    await_delivery(name);
  }
  void await_delivery(const std::string& name) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, delivered_within, [&] { return delivered_.contains(name); })) << name;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> delivered_;
  std::optional<Node> relay_;
};

INSTANTIATE_TEST_SUITE_P(EitherWay, CutRelay, testing::Values(Way::to_server, Way::to_client),
                         [](const auto& way) { return way.param == Way::to_server ? "ToTheServer" : "ToTheClient"; });

TEST_P(CutRelay, DeliversEverythingWhereverItIsCut) {
  expect_delivery("first");
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 chance(seed);
  std::uniform_int_distribution<std::uint64_t> bytes(1, 3000);
  for (int i = 0; i < relay_cuts; ++i) {
    proxy().cut_after(GetParam(), bytes(chance));
    expect_delivery("m" + std::to_string(i));
    EXPECT_TRUE(proxy().await_cut()) << "even a relay that has nothing to do asks now and then";
  }
}

TEST_P(CutRelay, DeliversEverythingWhenCommitsOrTheirRepliesAreLost) {
  expect_delivery("first");
  for (int i = 0; i < 4; ++i) {
    proxy().cut();  // So that a COMMIT is prepared anew, and goes over the wire in plain text.
    proxy().cut_before(GetParam(), "COMMIT");
    expect_delivery("m" + std::to_string(i));
    EXPECT_TRUE(proxy().await_cut());
  }
}

TEST_P(CutRelay, GoesOnWhenADeadNetworkIsReplaced) {
  expect_delivery("first");
  proxy().hold(GetParam());
  insert("while it was dead");
  proxy().refuse();
  proxy().cut();
  proxy().release();
  proxy().welcome();
  await_delivery("while it was dead");
  expect_delivery("after it");
}

TEST_P(CutRelay, GoesOnWhenADeadNetworkComesToLife) {
  expect_delivery("first");
  proxy().hold(GetParam());
  insert("while it was dead");
  std::this_thread::sleep_for(300ms);  // Nothing tells that nothing happens.
  proxy().release();
  await_delivery("while it was dead");
  expect_delivery("after it");
}

}  // namespace
}  // namespace makegood::postgres

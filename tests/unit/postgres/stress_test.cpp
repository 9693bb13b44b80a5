// Writers that do everything a writer can do, all at once, while an owner reads: it sees each committed row once, none
// that was rolled back, and the rows of a key in the order of their commits.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

constexpr int writers = 6;
constexpr auto writing_time = 4s;

/// What has certainly been committed, by writer, in the order of its commits. Each writer has a key of its own.
class Ledger {
 public:
  void commit(int writer, const Names& names) {
    const std::scoped_lock lock(mutex_);
    for (const std::string& name : names) by_writer_[writer].push_back(name);
  }
  std::map<int, Names> by_writer() const {
    const std::scoped_lock lock(mutex_);
    return by_writer_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<int, Names> by_writer_;
};

class Writer {
 public:
  Writer(const std::string& url, std::string outbox, int number, Ledger& ledger)
      : client_(url),
        outbox_(std::move(outbox)),
        number_(number),
        ledger_(ledger),
        random_(static_cast<unsigned>(number) + 1) {}

  void write_until(std::chrono::steady_clock::time_point end) {
    while (std::chrono::steady_clock::now() < end) write_once();
  }

 private:
  void write_once() {
    switch (random_() % 9) {
      case 0:
        return one_alone();
      case 1:
        return held_open(true);
      case 2:
        return held_open(false);
      case 3:
        return with_savepoint();
      case 4:
        return prepared(true);
      case 5:
        return prepared(false);
      case 6:
        return many(random_() % 2 == 0);
      case 7:
        return repeated_event();
      default:
        return sleeping_between_number_and_row();
    }
  }

  std::string next_name() { return "w" + std::to_string(number_) + "-" + std::to_string(++count_); }
  std::string insertion(const std::string& name, const std::string& topic = "t") const {
    return "INSERT INTO " + outbox_ + " (topic, dispatch_key, payload) VALUES ('" + topic + "', 'k" +
           std::to_string(number_) + "', '\"" + name + "\"')";
  }
  void pause(unsigned milliseconds_max) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % milliseconds_max));
  }
  void end(bool is_commit, const Names& names, const std::string& commit = "COMMIT",
           const std::string& rollback = "ROLLBACK") {
    client_.run(is_commit ? commit : rollback);
    if (is_commit) ledger_.commit(number_, names);
  }

  void one_alone() {
    const std::string name = next_name();
    client_.run(insertion(name));
    ledger_.commit(number_, {name});
  }
  void held_open(bool is_commit) {
    const Names names = {next_name(), next_name()};
    client_.run("BEGIN; " + insertion(names[0]));
    pause(400);
    client_.run(insertion(names[1]));
    end(is_commit, names);
  }
  void with_savepoint() {
    const std::string first = next_name();
    const std::string never = next_name();
    const std::string last = next_name();
    client_.run("BEGIN; " + insertion(first) + "; SAVEPOINT s; " + insertion(never) + "; ROLLBACK TO s");
    pause(300);
    client_.run(insertion(last));
    end(true, {first, last});
  }
  void prepared(bool is_commit) {
    const std::string name = next_name();
    const std::string id = "'" + outbox_ + name + "'";
    client_.run("BEGIN; " + insertion(name));
    pause(400);  // Before or after its number was missed.
    client_.run("PREPARE TRANSACTION " + id);
    pause(400);
    end(is_commit, {name}, "COMMIT PREPARED " + id, "ROLLBACK PREPARED " + id);
  }
  void many(bool is_commit) {
    Names names;
    std::string script = "BEGIN";
    for (int row = 0; row < 300; ++row) script += "; " + insertion(names.emplace_back(next_name()));
    client_.run(script);
    end(is_commit, names);
  }
  /// The number of the second one is used up for nothing.
  void repeated_event() {
    const std::string name = next_name();
    const std::string repeated = "INSERT INTO " + outbox_ +
                                 " (topic, dispatch_key, event_id, payload) VALUES ('t', 'k" + std::to_string(number_) +
                                 "', '" + name + "', '\"" + name + "\"') ON CONFLICT (tenant_id, event_id) DO NOTHING";
    client_.run(repeated + "; " + repeated);
    ledger_.commit(number_, {name});
  }
  void sleeping_between_number_and_row() {
    const std::string name = next_name();
    client_.run(insertion(name, "sleepy"));
    ledger_.commit(number_, {name});
  }

  PostgresClient client_;
  std::string outbox_;
  int number_;
  Ledger& ledger_;
  std::minstd_rand random_;
  int count_ = 0;
};

class Stress : public PostgresTest {
 protected:
  void add_sleepy_trigger() {
    app().run("CREATE FUNCTION " + schema().in("sleepy") +
              "() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END';"
              "CREATE TRIGGER sleepy BEFORE INSERT ON " +
              outbox() + " FOR EACH ROW WHEN (NEW.topic = 'sleepy') EXECUTE FUNCTION " + schema().in("sleepy") + "()");
  }
};

/// As an owner does, turn by turn; what it read, by the writer.
class Reader {
 public:
  explicit Reader(OutboxStore& store) : store_(store), turn_(value_of(store.take("a", lease, {})).value().turn) {}

  void read_once() {
    LookFor wanted = late_and_beyond(position_.reached, position_.open);
    wanted.rows_max = 100;
    Found found = value_of(store_.look(wanted));
    for (const MessagePtr& row : found.rows) {
      const std::string name = name_of(*row);
      seen_[name[1] - '0'].push_back(name);
    }
    position_ = {.reached = found.looked_to, .open = std::move(found.open)};
    most_open_ = std::max(most_open_, position_.open.count());
    turn_ = value_of(store_.commit({.owner = "a", .after = turn_, .lease = lease, .position = position_})).turn;
  }
  const std::map<int, Names>& seen() const { return seen_; }
  bool has_open() const { return !position_.open.empty(); }
  std::size_t most_open() const { return most_open_; }

 private:
  OutboxStore& store_;
  TurnNumber turn_;
  Position position_;
  std::map<int, Names> seen_;
  std::size_t most_open_ = 0;
};

/// Where two stories part, with what comes next in each.
std::string difference(const Names& seen, const Names& written) {
  const auto [one, other] = std::ranges::mismatch(seen, written);
  std::string text = "after " + std::to_string(one - seen.begin()) + " of " + std::to_string(written.size()) + ": read";
  for (auto name = one; name != seen.end() && name - one < 5; ++name) text += " " + *name;
  text += "; written";
  for (auto name = other; name != written.end() && name - other < 5; ++name) text += " " + *name;
  return text;
}

TEST_F(Stress, NothingIsSkippedNothingRolledBackIsReadAndEachKeyKeepsItsOrder) {
  add_sleepy_trigger();
  Reader reader(store());
  Ledger ledger;
  std::atomic<int> running = writers;
  {
    std::vector<std::jthread> threads;
    const auto end = std::chrono::steady_clock::now() + writing_time;
    for (int number = 0; number < writers; ++number) {
      threads.emplace_back([&, number] {
        Writer(url(), outbox(), number, ledger).write_until(end);
        --running;
      });
    }
    while (running > 0) reader.read_once();
  }
  EXPECT_TRUE(becomes_true([&] {
    reader.read_once();
    return !reader.has_open() && !store().has_changed();
  })) << "all that was rolled back is known to be";
  for (const auto& [writer, written] : ledger.by_writer()) {
    const auto seen = reader.seen().find(writer);
    ASSERT_NE(seen, reader.seen().end()) << writer;
    EXPECT_TRUE(seen->second == written) << difference(seen->second, written);
  }
  EXPECT_GT(reader.most_open(), 100U) << "or there was nothing to be exact about";
}

}  // namespace
}  // namespace makegood::postgres

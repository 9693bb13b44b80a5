#include "stores/postgres/store.hpp"

#include <numeric>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/number_ranges.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::postgres {
namespace {

constexpr auto asleep_interval = std::chrono::milliseconds(100);
constexpr std::string_view idle_timeout_of_ten_seconds = "5000";

}  // namespace

Store::Store(Connection connection, const StoreWorld& world)
    : world_(world),
      incarnation_(world.environment),
      connection_(std::move(connection)),
      known_session_(connection_.session_number()),
      idle_timeout_(idle_timeout_of_ten_seconds),
      scan_rows_(scan_rows_min) {}

StoreFeatures Store::features() const { return {.name = "postgres", .numbers_may_stay_open = true}; }

Result<> Store::migrate() { return postgres::migrate(connection_); }

std::optional<TimePoint> Store::clock_now() const {
  if (world_.instead == nullptr) return std::nullopt;
  return world_.instead->now();
}

MessageWriter Store::writer(bool may_tell) {
  const auto run = [this](std::string_view sql, const Parameters& values) -> Result<Rows> {
    const Step step{sql, values};
    auto rows = MAKEGOOD_TRY(connection_.run(std::span(&step, 1)));
    return std::move(rows.front());
  };
  return {run, writer_options(may_tell)};
}

MessageWriter::Options Store::writer_options(bool may_tell) const {
  return {.rules = {.content_bytes_max = content_bytes_highest, .may_tell = may_tell}, .ids = world_.ids};
}

Result<std::vector<Enqueued>> Store::enqueue(std::span<const NewMessage> messages) {
  end_exchange();
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  auto enqueued = MAKEGOOD_TRY(writer().write(messages, clock_now()));
  MAKEGOOD_TRY(transaction.commit());
  return enqueued;
}

/// The statement in a transaction of its own, which is one round trip.
Result<Rows> Store::run_committed(std::string_view sql, const Parameters& values) {
  MAKEGOOD_TRY(connection_.reconnect_if_lost());
  Pipeline pipeline(connection_);
  pipeline.add(verb::begin_write);
  pipeline.add(sql::write_settings);
  const std::size_t index = pipeline.count();
  pipeline.add(Step{sql, values});
  pipeline.add(verb::commit);
  auto answer = pipeline.run();
  if (auto committed = connection_.check_commit(answer); !committed) {
    connection_.roll_back();
    return committed.error();
  }
  return std::move((*answer)[index]);
}

Result<std::vector<Enqueued>> Store::append_requests(std::span<const NewMessage> requests) {
  MAKEGOOD_TRY(check_request_topics(requests));
  end_exchange();
  seen_to_.reset();
  if (MessageWriter::is_one_statement(requests)) {
    const auto run = [this](std::string_view sql, const Parameters& values) { return run_committed(sql, values); };
    return MessageWriter(run, writer_options(true)).write(requests, clock_now());
  }
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  auto appended = MAKEGOOD_TRY(writer(true).write(requests, clock_now()));
  MAKEGOOD_TRY(transaction.commit());
  return appended;
}

/// Also ends the transaction of a look that led to no turn: an idle session should hold nothing.
bool Store::has_changed() {
  end_exchange();
  read_ahead_.was_interrupted();
  is_just_taken_ = false;
  const MonotonicTime now = world_.clock->monotonic();
  const bool was_asleep = wake_up_.is_asleep();
  if (wake_up_.was_rung(now)) seen_to_.reset();  // Goes on saying so until the next look.
  if (connection_.is_lost() || !seen_to_) return true;
  // Whoever commits would ring; but a trigger can be switched off.
  if (was_asleep && wake_up_.is_asleep() && now - asked_at_ < asleep_interval) return false;
  asked_at_ = now;
  const bool has_changed = ask_for_news();
  if (has_changed || was_asleep || !wake_up_.fall_asleep(now)) return has_changed;
  return ask_for_news();  // What was committed before we slept did not ring.
}

bool Store::ask_for_news() {
  const NumberSet awake = without(seen_open_, open_numbers_.asleep());
  if (!awake.empty() || !seen_requests_.empty()) return ask_for_changes(RangeArrays(awake));
  auto rows = connection_.query(sql::has_news, *seen_to_, array_of(open_numbers_.waited_for()));
  if (!rows || !rows->next()) return true;
  has_just_no_request_ = !rows->boolean(1);
  return rows->boolean(0) || rows->boolean(1) || rows->boolean(2);
}

bool Store::ask_for_changes(const RangeArrays& awake) {
  const std::int64_t sum = std::accumulate(seen_requests_.begin(), seen_requests_.end(), std::int64_t{0});
  auto rows = connection_.query(sql::has_changed, *seen_to_, awake.lows, awake.highs, seen_requests_.size(), sum,
                                array_of(open_numbers_.waited_for()));
  return !rows || !rows->next() || rows->boolean(0);
}

/// While nobody would ring there is none, so that we are asked now and then. Right after a taking it is
/// told, to be listened to at all.
int Store::change_descriptor() const { return is_just_taken_ || wake_up_.is_asleep() ? wake_up_.descriptor() : -1; }

void Store::end_exchange() {
  connection_.give_up_next();
  if (!connection_.is_lost() && connection_.is_in_transaction()) (void)connection_.execute(verb::rollback);
}

Result<std::unique_ptr<OutboxStore>> open_store(std::string_view url, std::string_view outbox,
                                                const StoreWorld& world) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier, sql::session_settings));
  return std::unique_ptr<OutboxStore>(std::make_unique<Store>(std::move(connection), world));
}

}  // namespace makegood::postgres

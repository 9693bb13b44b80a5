#include "engine/consumer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace makegood {
namespace {

constexpr Duration poll_wait = std::chrono::milliseconds(200);
/// Without the lane there is nothing to read; who has it next is told by its figures.
constexpr Duration idle_wait = std::chrono::seconds(1);
constexpr Duration first_patience = std::chrono::milliseconds(200);
constexpr Duration behind_interval = std::chrono::seconds(1);
constexpr Duration longest_patience = std::chrono::seconds(10);

/// A mistake in one of the messages, and not in the place or the store.
bool is_of_a_message(const Error& error) {
  return error.code == Errc::conflict || error.code == Errc::invalid || error.code == Errc::payload_too_large ||
         error.code == Errc::validation_failed;
}

}  // namespace

void Consumer::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Consumer::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Consumer::note(const LaneFigures& lane) {
  pending_ = lane.pending_count;
  if (is_owner_.exchange(lane.is_owner) == lane.is_owner) return;
  const std::scoped_lock lock(mutex_);
  changed_.notify_all();
}

void Consumer::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (!is_owner_) {
      source_.reset();  // Whoever has the lane reads.
      rest(stop, idle_wait);
      continue;
    }
    if (const auto read = read_on(); read) {
      patience_ = {};
    } else {
      failed(read.error());
      rest(stop, patience_);
    }
  }
  source_.reset();
}

void Consumer::rest(const std::stop_token& stop, Duration time) {
  std::unique_lock lock(mutex_);
  const bool was_owner = is_owner_;
  changed_.wait_for(lock, stop, time, [&] { return is_owner_ != was_owner; });
}

/// One batch, from the broker into the log.
Result<> Consumer::read_on() {
  MAKEGOOD_TRY(open());
  // What a client does with messages that wait in it while it is held is its own affair: begun anew, nothing is
  // skipped.
  if (const bool was_held = std::exchange(is_held_, is_full()); was_held && !is_held_) must_begin_ = true;
  source_->hold(is_held_ || must_begin_);
  Polled polled = MAKEGOOD_TRY(source_->poll(options_.limits, poll_wait));
  if (polled.partitions) {
    partitions_ = *std::move(polled.partitions);
    must_begin_ = true;
  }
  if (must_begin_) return begin_again();
  if (!polled.gone.empty()) lost(polled.gone);
  if (!polled.arrivals.empty()) MAKEGOOD_TRY(take(polled.arrivals));
  tell_behind();
  went_well();
  return {};
}

Result<> Consumer::open() {
  if (store_ == nullptr) store_ = MAKEGOOD_TRY(parts_.open_store());
  if (source_ != nullptr) return {};
  source_ = MAKEGOOD_TRY(parts_.open_source());
  partitions_.clear();
  is_held_ = false;
  must_begin_ = false;  // It says which partitions there are.
  return {};
}

/// From where the store says, whatever was read before.
Result<> Consumer::begin_again() {
  must_begin_ = true;
  next_.clear();
  for (const SourcePlaceRow& row : MAKEGOOD_TRY(store_->places(options_.rules.source))) {
    next_[row.place.partition] = row.place.next;
  }
  std::vector<SourcePlace> places;
  for (const std::string& partition : partitions_) {
    std::string next = MAKEGOOD_TRY(place_of(partition));
    places.push_back({partition, std::move(next)});
  }
  MAKEGOOD_TRY(source_->start(places));
  must_begin_ = false;
  return {};
}

/// Where it begins is written down before the first message of it is read, so that it is known ever after.
Result<std::string> Consumer::place_of(const std::string& partition) {
  const auto known = next_.find(partition);
  if (known != next_.end()) return known->second;
  std::string first = MAKEGOOD_TRY(source_->first(partition));
  const std::vector<SourceMove> moves = {{.partition = partition, .was = {}, .next = first}};
  MAKEGOOD_TRY(store_->take_in({.source = options_.rules.source, .moves = moves, .messages = {}}));
  next_[partition] = first;
  return first;
}

/// Once it is full, it is until half of that is left: reading does not stop and begin with each message.
bool Consumer::is_full() const { return pending_ >= (is_held_ ? options_.backlog_max / 2 + 1 : options_.backlog_max); }

Result<> Consumer::take(const std::vector<Arrival>& arrivals) {
  const Batch batch = batch_of(arrivals);
  auto taken = write(batch);
  if (!taken && is_of_a_message(taken.error())) taken = take_one_by_one(arrivals);
  if (!taken) {
    must_begin_ = true;
    if (taken.error().code == Errc::fenced) tell({.kind = SourceNews::Kind::fenced, .count = 1});
    return taken;
  }
  std::vector<SourcePlace> places;
  for (const SourceMove& move : batch.moves) places.push_back({move.partition, move.next});
  source_->acknowledge(places);
  return {};
}

/// Only the one that the store refuses becomes a dead letter.
Result<> Consumer::take_one_by_one(const std::vector<Arrival>& arrivals) {
  for (const Arrival& arrival : arrivals) {
    Batch one = batch_of({arrival});
    auto taken = write(one);
    if (!taken && is_of_a_message(taken.error())) {
      one.messages = {unreadable_message(arrival, options_.rules, taken.error())};
      one.unreadable = 1;
      taken = write(one);
    }
    MAKEGOOD_TRY(std::move(taken));
  }
  return {};
}

Result<> Consumer::write(const Batch& batch) {
  const Intake intake{.source = options_.rules.source, .moves = batch.moves, .messages = batch.messages};
  const std::size_t repeats = MAKEGOOD_TRY(store_->take_in(intake));
  for (const SourceMove& move : batch.moves) next_[move.partition] = move.next;
  pending_ += batch.messages.size() - repeats;  // Until the lane says how many there are.
  if (parts_.wake) parts_.wake();
  using Kind = SourceNews::Kind;
  if (batch.messages.size() > repeats) tell({.kind = Kind::taken, .count = batch.messages.size() - repeats});
  if (repeats > 0) tell({.kind = Kind::repeated, .count = repeats});
  if (batch.unreadable > 0) tell({.kind = Kind::unreadable, .count = batch.unreadable});
  return {};
}

Consumer::Batch Consumer::batch_of(const std::vector<Arrival>& arrivals) const {
  Batch batch;
  std::map<std::string_view, std::size_t> moves;
  const auto behind = source_->behind();
  for (const Arrival& arrival : arrivals) {
    auto message = message_of(arrival, options_.rules);
    if (!message) ++batch.unreadable;
    batch.messages.push_back(message ? *std::move(message)
                                     : unreadable_message(arrival, options_.rules, message.error()));
    const auto [known, is_first] = moves.try_emplace(arrival.partition, batch.moves.size());
    if (is_first) {
      const auto left = behind.find(arrival.partition);
      batch.moves.push_back({.partition = arrival.partition,
                             .was = next_.at(arrival.partition),
                             .next = {},
                             .taken = 0,
                             .behind = left == behind.end() ? 0 : left->second});
    }
    batch.moves[known->second].next = arrival.next;
    ++batch.moves[known->second].taken;
  }
  return batch;
}

void Consumer::failed(const Error& error) {
  patience_ = std::clamp(2 * patience_, first_patience, longest_patience);
  must_begin_ = true;
  if (error.code == Errc::fenced) return;  // What comes next is found out at once, and nothing is wrong.
  if (!is_retryable(error.code)) source_.reset();
  stopped(to_string(error.code), error.message);
}

void Consumer::lost(const std::vector<std::string>& partitions) {
  gone_.insert(partitions.begin(), partitions.end());
  stopped(source_gone_code,
          fmt::format("The broker no longer has what comes next in {}: it was removed there before it was taken in, or "
                      "the topic was made anew. Say where to go on: `makegood sources move`.",
                      fmt::join(gone_, ", ")));
}

/// Once per change: in the store for those who ask, then to those who watch.
void Consumer::stopped(std::string_view code, const std::string& because) {
  if (told_ == because) return;
  reads_ = false;
  told_ = because;
  if (store_ != nullptr) static_cast<void>(store_->tell(options_.rules.source, code, because));
  tell({.kind = SourceNews::Kind::stopped, .code = std::string(code), .error = because});
}

/// What is gone stays so until somebody says where to go on, and this is begun anew.
void Consumer::went_well() {
  if (!gone_.empty() || reads_) return;
  if (!store_->tell(options_.rules.source, {}, {})) return;
  told_.clear();
  reads_ = true;
  tell({.kind = SourceNews::Kind::reads});
}

void Consumer::tell_behind() {
  const MonotonicTime now = system_clock().monotonic();
  if (now - behind_told_at_ < behind_interval) return;
  behind_told_at_ = now;
  std::size_t behind = 0;
  for (const auto& [partition, count] : source_->behind()) behind += static_cast<std::size_t>(count);
  tell({.kind = SourceNews::Kind::behind, .count = behind});
}

void Consumer::tell(const SourceNews& news) const {
  if (parts_.observer != nullptr) parts_.observer->source(options_.outbox, options_.rules.source, news);
}

}  // namespace makegood

#include "daemon/sources.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace makegood::daemon {
namespace {

/// Another process may have registered one.
constexpr Duration registry_looks_every = std::chrono::seconds(5);

}  // namespace

void Sources::start(Observer& observer) {
  observer_ = &observer;
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void Sources::wake() {
  const std::scoped_lock lock(mutex_);
  is_woken_ = true;
  woken_.notify_all();
}

void Sources::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  std::map<Key, Reading> reading;
  {
    const std::scoped_lock lock(mutex_);
    reading.swap(reading_);
  }
  std::vector<std::jthread> stopping;
  for (const auto& [key, one] : reading) stopping.emplace_back([consumer = one.consumer] { consumer->stop(); });
}

void Sources::figures(std::string_view outbox, const LaneFigures& figures) {
  const std::scoped_lock lock(mutex_);
  auto known = lanes_.find(outbox);
  if (known == lanes_.end()) known = lanes_.emplace(outbox, LaneFigures()).first;
  known->second = figures;
  for (const auto& [key, one] : reading_) {
    if (key.first == outbox) one.consumer->note(figures);
  }
}

void Sources::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    for (const std::string& outbox : store_.outboxes) look_at(outbox);
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, stop, registry_looks_every, [this] { return std::exchange(is_woken_, false); });
  }
}

/// While the store is away, what is read goes on as it was: it finds out by itself.
void Sources::look_at(const std::string& outbox) {
  const auto rows = sources_of(outbox);
  if (rows) {
    told_.erase(outbox);
    return keep(outbox, *rows);
  }
  stores_.erase(outbox);
  const Errc code = rows.error().code;
  const bool are_no_tables = code == Errc::schema_mismatch || code == Errc::not_found || code == Errc::invalid;
  if (!are_no_tables) tell(outbox, rows.error());
}

Result<std::vector<SourceRow>> Sources::sources_of(const std::string& outbox) {
  auto& store = stores_[outbox];
  if (store == nullptr) store = MAKEGOOD_TRY(open_source_store(store_.url, outbox));
  return store->sources();
}

void Sources::keep(const std::string& outbox, const std::vector<SourceRow>& rows) {
  std::vector<Key> ending;
  std::vector<const SourceRow*> beginning;
  {
    const std::scoped_lock lock(mutex_);
    for (const SourceRow& row : rows) {
      const auto known = reading_.find({outbox, row.name});
      const bool is_same = known != reading_.end() && known->second.version == row.version;
      if (!is_same && !row.is_paused) beginning.push_back(&row);
    }
    for (const auto& [key, one] : reading_) {
      const auto row = std::ranges::find(rows, key.second, &SourceRow::name);
      const bool stays = row != rows.end() && row->version == one.version;
      if (key.first == outbox && !stays) ending.push_back(key);
    }
  }
  for (const Key& key : ending) end(key);
  for (const SourceRow* row : beginning) {
    if (const auto begun = begin(outbox, *row); !begun) tell(outbox, begun.error());
  }
}

Result<> Sources::begin(const std::string& outbox, const SourceRow& row) {
  const TransportKind* const transport = parts_.transports->kind_of(row.name);
  const SourceKind* const kind = transport == nullptr ? nullptr : transport->source();
  if (kind == nullptr) {
    return Error{Errc::invalid, fmt::format("This program cannot read from {}; it was built without it.", row.name)};
  }
  const SourceDocument document = MAKEGOOD_TRY(decode_source(row.document));
  const ConsumerOptions options{
      .outbox = outbox, .rules = {row.name, document.topic, document.tenant_id}, .backlog_max = document.backlog_max};
  auto consumer = std::make_shared<Consumer>(
      options, Consumer::Parts{
                   .open_store = [url = store_.url, outbox] { return open_source_store(url, outbox); },
                   .open_source = [kind, name = row.name,
                                   settings = document.settings] { return kind->open(name, settings, system_clock()); },
                   .wake = [this, outbox] { parts_.wake(outbox); },
                   .observer = observer_});
  const std::scoped_lock lock(mutex_);
  if (const auto lane = lanes_.find(outbox); lane != lanes_.end()) consumer->note(lane->second);
  consumer->start();
  reading_[{outbox, row.name}] = {row.version, std::move(consumer)};
  return {};
}

/// Outside of the lock, which lanes wait for.
void Sources::end(const Key& key) {
  std::shared_ptr<Consumer> ending;
  {
    const std::scoped_lock lock(mutex_);
    ending = std::move(reading_.at(key).consumer);
    reading_.erase(key);
  }
  ending->stop();
}

/// Once per change.
void Sources::tell(const std::string& outbox, const Error& error) {
  if (std::exchange(told_[outbox], error.message) == error.message) return;
  parts_.log.write(LogLevel::error, "sources",
                   {{"table", outbox},
                    {"code", to_string(error.code)},
                    {"error", error.message},
                    {"diagnostics", error.diagnostics}});
}

}  // namespace makegood::daemon

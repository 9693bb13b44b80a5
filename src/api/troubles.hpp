// What is wrong with an outbox at this moment, and what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "api/json_out.hpp"
#include "makegood/spi/outbox_view.hpp"
#include "makegood/spi/source_store.hpp"

namespace makegood::api {

struct Trouble {
  enum class Weight { critical, warning };
  Weight weight = Weight::warning;
  std::string code = {};  ///< Of an Error, if there is one.
  std::string what;
  std::optional<TimePoint> since = {};
  std::optional<std::size_t> count = {};
  std::string outbox = {};
  std::string destination = {};
  std::string held_by = {};
  std::string advice;  ///< The command to run.
};
void put_trouble(Writer& writer, const Trouble& trouble);
/// The worst first, then the oldest.
void sort_by_weight(std::vector<Trouble>& troubles);

/// Everything that is asked about an outbox.
struct OutboxState {
  std::string outbox;
  LaneView lane = {};
  Backlog backlog = {};
  std::vector<BlockedKey> blocked = {};
  std::vector<DeadGroup> groups = {};  ///< Of dead ones; the largest first.
  std::vector<LiveAlarm> alarms = {};  ///< Of its relay, if that runs in this process.
  std::vector<SourceRow> sources = {};
};

struct Advice {
  std::string store_url;
  bool names_outbox = false;  ///< Commands must say which.
};
std::vector<Trouble> troubles_of(const OutboxState& state, const Advice& advice, TimePoint now);
/// An outbox that could not be read.
Trouble trouble_of(const Error& error, const std::string& outbox, const Advice& advice);

}  // namespace makegood::api

// Tables, owner, routes and clocks of an outbox.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/age.hpp"
#include "cli/doctor.hpp"
#include "cli/program.hpp"
#include "config/mistake.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::cli {
namespace {

using enum Diagnosis::State;

constexpr Duration skew_max = std::chrono::seconds(2);
constexpr std::size_t messages_examined = 1000;
constexpr std::size_t topics_told = 5;

class OutboxExamination {
 public:
  OutboxExamination(std::string store_url, std::string outbox, TimePoint now)
      : store_url_(std::move(store_url)), outbox_(std::move(outbox)), now_(now) {}

  Diagnoses examine() {
    const auto view = open_outbox_view(store_url_, outbox_);
    if (!view) return tables(view.error());
    add(good, "tables", "They are of this version.");
    const auto lane = (*view)->lane();
    if (!lane) return unreadable(lane.error());
    const auto messages = (*view)->list({}, std::nullopt, messages_examined);
    if (!messages) return unreadable(messages.error());
    owner(*lane);
    counter(*lane);
    routes(*lane, messages->messages);
    clocks(*lane, messages->messages);
    return std::move(found_);
  }

 private:
  void add(Diagnosis::State state, const std::string& check, std::string what, std::string mend = {}) {
    found_.push_back({state, fmt::format("{} of {}", check, outbox_), std::move(what), std::move(mend)});
  }
  std::string store_flag() const { return "--store " + config::url_without_password(store_url_); }

  Diagnoses tables(const Error& error) {
    const bool is_schema = error.code == Errc::schema_mismatch;
    add(wrong, "tables", error.message,
        is_schema ? fmt::format("makegood migrate {} --outbox {}", store_flag(), outbox_)
                  : "Look at the store's URL, and at who may read it.");
    return std::move(found_);
  }

  Diagnoses unreadable(const Error& error) {
    add(wrong, "content", fmt::format("{} {}", error.message, error.diagnostics),
        "If it says that the store is damaged: on SQLite PRAGMA integrity_check, on PostgreSQL its log; then a "
        "backup.");
    return std::move(found_);
  }

  void owner(const LaneView& lane) {
    if (!lane.owner.empty() && lane.lease_until > now_) return add(good, "owner", lane.owner + " owns the lane.");
    const std::string since = lane.owner.empty() ? "ever" : "since " + age_text(now_ - lane.lease_until);
    const Sequence unread = lane.counter - lane.position.reached;
    add(unread > 0 ? wrong : warning, "owner",
        fmt::format("Nobody has owned it {}; {} messages are not read.", since, std::max<Sequence>(unread, 0)),
        fmt::format("makegood serve {}", store_flag()));
  }

  void counter(const LaneView& lane) {
    if (lane.stopped != LogTrouble::none) {
      const bool is_sequence = lane.stopped == LogTrouble::sequence_changed;
      return add(
          wrong, "log", error_of(lane.stopped).message,
          fmt::format("makegood outbox {} {} --outbox {}", is_sequence ? "go-on" : "rewind", store_flag(), outbox_));
    }
    if (lane.counter >= lane.position.reached) return foreign_number(lane);
    add(wrong, "counter", "It was set back below what was delivered: nothing is sent.",
        fmt::format("Find out who did it, then: makegood outbox rewind {} --outbox {}", store_flag(), outbox_));
  }

  void foreign_number(const LaneView& lane) {
    if (lane.highest <= lane.counter) return;
    add(wrong, "counter",
        fmt::format("The log's highest number is {}, and the last that the database drew is {}: nothing is sent.",
                    lane.highest, lane.counter),
        fmt::format(
            "If somebody wrote the number: DELETE FROM {0} WHERE sequence > {1}. If the counter was set back: {2}",
            outbox_, lane.counter, counter_statement(lane.highest)));
  }

  /// With it the next number is the one after the highest.
  std::string counter_statement(Sequence highest) const {
    return is_postgres(store_url_)
               ? fmt::format("SELECT setval('{}_number', {})", outbox_, highest)
               : fmt::format("UPDATE sqlite_sequence SET seq = {} WHERE name = '{}'", highest, outbox_);
  }

  void routes(const LaneView& lane, const std::vector<MessageSummary>& messages) {
    const Routing routing = lane.routings.empty() ? Routing() : lane.routings.back();
    const Tenants tenants = tenants_of(routing);
    std::map<std::string, std::size_t> lost;
    for (const MessageSummary& message : messages) {
      const bool is_led = has_route(routing.routes, tenants, message.topic, message.tenant_id);
      if (!is_led && !message.topic.starts_with("makegood.")) ++lost[message.topic];
    }
    if (routing.routes.empty()) {
      return add(warning, "routes", "There is none: messages wait for the first.",
                 fmt::format("makegood destinations add NAME --url URL --route 'order.*' {}", store_flag()));
    }
    if (lost.empty()) return add(good, "routes", "Every topic of late leads somewhere.");
    std::vector<std::string> told;
    for (const auto& [topic, count] : lost) {
      if (told.size() < topics_told) told.push_back(fmt::format("{} ({})", topic, count));
    }
    add(wrong, "routes", fmt::format("{} topics without a route: {}.", lost.size(), fmt::join(told, ", ")),
        "Add a route ('makegood apply', or 'destinations add --route'), then: makegood dead replay --destination -");
  }

  void clocks(const LaneView& lane, const std::vector<MessageSummary>& messages) {
    TimePoint latest = lane.at;
    for (const MessageSummary& message : messages) latest = std::max(latest, message.created_at);
    if (latest <= now_ + skew_max) return add(good, "clock", "Nothing in the store is from the future.");
    add(wrong, "clock",
        fmt::format("The store has a moment that lies {} in this machine's future.", age_text(latest - now_)),
        "Two clocks differ: set all of them by NTP (timedatectl). Leases and delays depend on them.");
  }

  const std::string store_url_;
  const std::string outbox_;
  const TimePoint now_;
  Diagnoses found_;
};

}  // namespace

Diagnoses examine_outbox(const std::string& store_url, const std::string& outbox, TimePoint now) {
  return OutboxExamination(store_url, outbox, now).examine();
}

}  // namespace makegood::cli

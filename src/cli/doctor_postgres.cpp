// The PostgreSQL server: its version and settings, who we are to it, and its clock.
#include <fmt/format.h>

#include "cli/age.hpp"
#include "cli/doctor.hpp"
#include "config/mistake.hpp"
#include "stores/postgres/examination.hpp"
#include "stores/postgres/migrations.hpp"
#include "stores/postgres/postgres.hpp"

namespace makegood::cli {
namespace {

using enum Diagnosis::State;

constexpr Duration clock_difference_max = std::chrono::seconds(2);
constexpr Duration prepared_age_max = std::chrono::minutes(10);
constexpr std::size_t names_told = 5;

std::string some_of(std::vector<std::string> names) {
  const std::size_t more = names.size() - std::min(names.size(), names_told);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

class ServerExamination {
 public:
  ServerExamination(std::string url, std::string outbox)
      : url_(std::move(url)), outbox_(std::move(outbox)), store_flag_("--store " + config::masked_url(url_)) {}

  Diagnoses examine(bool is_first) {
    const auto found = postgres::examine(url_, outbox_);
    if (!found) return unreachable(found.error());
    if (is_first) server(*found);
    tables();
    sequence(*found);
    rights(*found);
    copy();
    return std::move(found_);
  }

 private:
  void add(Diagnosis::State state, const std::string& check, std::string what, std::string mend = {}) {
    found_.push_back({state, check, std::move(what), std::move(mend)});
  }
  void add_of_outbox(Diagnosis::State state, const std::string& check, std::string what, std::string mend = {}) {
    add(state, fmt::format("{} of {}", check, outbox_), std::move(what), std::move(mend));
  }

  Diagnoses unreachable(const Error& error) {
    add(wrong, "server", fmt::format("{} {}", error.message, error.diagnostics),
        "Check host, port, database and user of the URL; `psql` must work with the same URL.");
    return std::move(found_);
  }

  void server(const postgres::Examination& found) {
    version(found);
    writes(found);
    durability(found);
    clock(found);
    prepared(found);
    if (found.is_pooled) add(good, "pooler", "There is one in between; statements are not kept prepared.");
  }

  void version(const postgres::Examination& found) {
    if (found.version >= postgres::oldest_version) return add(good, "PostgreSQL", found.version_text + ".");
    add(wrong, "PostgreSQL", fmt::format("{} is too old: a late commit could be passed by.", found.version_text),
        "Update to 14.1 or later.");
  }

  void writes(const postgres::Examination& found) {
    if (found.takes_writes) return add(good, "writes", "The server takes them.");
    add(wrong, "writes", "The server is a standby, or is set to read only.",
        "Name all hosts in the URL, and let libpq find the primary: ?target_session_attrs=read-write");
  }

  void durability(const postgres::Examination& found) {
    if (found.is_synchronous) return add(good, "commits", "They wait for the disk.");
    add(warning, "commits", "synchronous_commit is off: producers can lose what they have committed.",
        "Set it to on, at least for the producers' role. Makegood's own commits wait for the disk anyway.");
  }

  void clock(const postgres::Examination& found) {
    const Duration difference = std::chrono::abs(found.clock_ahead);
    if (difference <= clock_difference_max + found.round_trip) {
      return add(good, "clock", "The server's and this machine's are close.");
    }
    add(wrong, "clock",
        fmt::format("The server's is {} {} this machine's.", age_text(difference),
                    found.clock_ahead > Duration::zero() ? "ahead of" : "behind"),
        "Set both by NTP (timedatectl). Leases are the server's time; what people read is told by both.");
  }

  /// One that nobody ends keeps its numbers open for ever, and keeps the server from vacuuming.
  void prepared(const postgres::Examination& found) {
    if (found.prepared_max == 0) return add(good, "two-phase", "max_prepared_transactions is 0: nobody can leave one.");
    const Duration age = system_clock().now() - found.prepared_at;
    const std::string left =
        found.prepared.empty() ? "none is left" : fmt::format("'{}' is {} old", found.prepared, age_text(age));
    if (found.prepared.empty() || age < prepared_age_max) {
      return add(good, "two-phase", fmt::format("max_prepared_transactions is {}; {}.", found.prepared_max, left));
    }
    add(warning, "two-phase",
        fmt::format("The prepared transaction '{}' has not ended since {}: what it enqueued is neither sent nor gone.",
                    found.prepared, age_text(age)),
        "Ask its coordinator; then COMMIT PREPARED or ROLLBACK PREPARED.");
  }

  void tables() {
    const auto missing = postgres::missing_parts(url_, outbox_);
    if (!missing || missing->empty()) return;
    add_of_outbox(
        wrong, "migrations", fmt::format("Missing: {}.", some_of(*missing)),
        fmt::format("makegood migrate {0} --outbox {1}, or by your own tool: makegood migrate export --outbox {1}",
                    store_flag_, outbox_));
  }

  void sequence(const postgres::Examination& found) {
    if (found.sequence_cache == 1) return;
    add_of_outbox(
        wrong, "sequence",
        fmt::format("It has a cache of {}: sessions draw numbers in advance, and order is lost.", found.sequence_cache),
        fmt::format("ALTER SEQUENCE {}_number CACHE 1", outbox_));
  }

  void rights(const postgres::Examination& found) {
    if (found.missing_rights.empty()) return add_of_outbox(good, "rights", "They suffice for the relay.");
    add_of_outbox(wrong, "rights", fmt::format("Missing: {}.", some_of(found.missing_rights)),
                  fmt::format("makegood migrate grants --outbox {} --producer ROLE --relay ROLE | psql …", outbox_));
  }

  void copy() {
    const auto is_copy = postgres::is_copy(url_, outbox_);
    if (!is_copy) return;  // Without tables there is nothing to be a copy of.
    if (!*is_copy) return add_of_outbox(good, "copy", "This database is the original.");
    add_of_outbox(
        wrong, "copy", "This database is a copy: nothing is sent from it.",
        fmt::format("In staging: good, leave it so. If it is the real one now: makegood adopt {}", store_flag_));
  }

  const std::string url_;
  const std::string outbox_;
  const std::string store_flag_;
  Diagnoses found_;
};

}  // namespace

Diagnoses examine_postgres(const std::string& url, const std::vector<std::string>& outboxes) {
  Diagnoses all;
  for (const std::string& outbox : outboxes) {
    const bool is_first = all.empty();
    for (Diagnosis& one : ServerExamination(url, outbox).examine(is_first)) all.push_back(std::move(one));
    const bool is_unreachable = all.back().check == "server";
    if (is_unreachable) break;
  }
  return all;
}

}  // namespace makegood::cli

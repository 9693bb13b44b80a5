// The PostgreSQL server, and what it says of the tables.
#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor.hpp"
#include "cli/doctor_server.hpp"
#include "config/mistake.hpp"
#include "stores/postgres/examination.hpp"
#include "stores/postgres/migrations.hpp"
#include "stores/postgres/postgres.hpp"

namespace makegood::cli {
namespace {

using enum Diagnosis::State;

constexpr std::size_t names_told = 5;

std::string some_of(std::vector<std::string> names) {
  const std::size_t more = names.size() - std::min(names.size(), names_told);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

class ServerExamination {
 public:
  ServerExamination(const config::StoreConfig& store, std::string outbox)
      : url_(store.url),
        environment_(store.environment),
        outbox_(std::move(outbox)),
        store_flag_("--store " + config::url_without_password(url_)) {}

  Diagnoses examine(bool is_first) {
    const auto found = postgres::examine(url_, outbox_, system_clock());
    if (!found) return unreachable(found.error());
    if (is_first) {
      found_ = diagnose_server(*found, system_clock().now());
      found_.push_back(diagnose_environment(environment_));
    }
    tables();
    sequence(*found);
    rights(*found);
    if (found->takes_writes) copy();  // A standby sends nothing anyway.
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
    const bool is_of_sagas = std::ranges::any_of(
        found.missing_rights, [](const std::string& right) { return right.contains("makegood_saga"); });
    add_of_outbox(wrong, "rights", fmt::format("Missing: {}.", some_of(found.missing_rights)),
                  fmt::format("makegood migrate grants --outbox {} --producer ROLE --relay ROLE{} | psql …", outbox_,
                              is_of_sagas ? " --saga-log makegood_saga" : ""));
  }

  void copy() {
    const auto report = postgres::examine_origin(url_, outbox_, environment_);
    if (!report) return;  // Without tables there is nothing to be a copy of.
    found_.push_back(diagnose_copy(*report, "copy of " + outbox_, store_flag_));
  }

  const std::string url_;
  const std::string environment_;
  const std::string outbox_;
  const std::string store_flag_;
  Diagnoses found_;
};

}  // namespace

Diagnoses examine_postgres(const config::StoreConfig& store) {
  Diagnoses all;
  for (const std::string& outbox : store.outboxes) {
    const bool is_first = all.empty();
    for (Diagnosis& one : ServerExamination(store, outbox).examine(is_first)) all.push_back(std::move(one));
    const bool is_unreachable = all.back().check == "server";
    if (is_unreachable) break;
  }
  return all;
}

}  // namespace makegood::cli

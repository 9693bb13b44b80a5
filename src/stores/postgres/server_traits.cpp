#include "stores/postgres/server_traits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace makegood::postgres {
namespace {

constexpr std::size_t places_max = 32;

bool is_among(const std::vector<Place>& places, const Place& place) {
  return std::ranges::find(places, place) != places.end();
}

std::string oid_text(const std::optional<std::int64_t>& oid) { return oid ? fmt::format("{}", *oid) : std::string(); }

std::string places_text(const std::vector<Place>& places) {
  std::vector<std::string> texts;
  for (const Place& place : places) texts.push_back(to_string(place));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Of the server alone. An older timeline than the recorded one is not what wrote the record.
std::vector<Trait> compare_servers(const Server& recorded, const Server& here) {
  return {{"system identifier", fmt::format("{}", recorded.system), fmt::format("{}", here.system),
           recorded.system != here.system},
          {"timeline", fmt::format("{}", recorded.timeline), fmt::format("{}", here.timeline),
           recorded.timeline > here.timeline},
          {"database oid", oid_text(recorded.database), oid_text(here.database),
           recorded.database && recorded.database != here.database}};
}

/// The same server, and other tables: the database was restored over itself.
std::vector<Trait> compare_logs(const std::optional<LogOids>& recorded, const LogOids& here) {
  const LogOids known = recorded.value_or(here);
  return {{"oid of the log", fmt::format("{}", known.log), fmt::format("{}", here.log), known.log != here.log},
          {"oid of its sequence", fmt::format("{}", known.number), fmt::format("{}", here.number),
           known.number != here.number}};
}

/// The same sequence with another file: what somebody has altered is worth a look, and no copy.
bool is_altered(const LogOids& known, const LogOids& here) {
  const bool is_same = known.log == here.log && known.number == here.number;
  return is_same && known.number_file != 0 && known.number_file != here.number_file;
}

Trait compare_files(const std::optional<LogOids>& recorded, const LogOids& here) {
  const LogOids known = recorded.value_or(here);
  const std::int64_t file = known.number_file == 0 ? here.number_file : known.number_file;
  return {.name = "file of its sequence",
          .recorded = fmt::format("{}", file),
          .here = fmt::format("{}", here.number_file),
          .asks_for_a_look = is_altered(known, here)};
}

/// An altered sequence stays recorded as it was until somebody has looked, unless it is another server's.
LogOids completed_log(const RecordedTraits& recorded, const TraitsHere& here) {
  LogOids log = here.log;
  if (recorded.log && recorded.server == here.server && is_altered(*recorded.log, log)) {
    log.number_file = recorded.log->number_file;
  }
  return log;
}

Trait compare_places(const RecordedTraits& recorded, const TraitsHere& here) {
  const bool is_known = recorded.places.empty() || is_among(recorded.places, here.place);
  return {"place", places_text(recorded.places), to_string(here.place), !is_known};
}

Judgement without_record(const TraitsHere& here) {
  return {.report = {.is_copy = true,
                     .has_environment = !here.environment.empty(),
                     .traits = {{.name = "record", .here = "removed", .differs = true}}}};
}

}  // namespace

Judgement judge(const RecordedTraits& recorded, const TraitsHere& here) {
  if (!recorded.server) return without_record(here);
  const NameVerdict names = compare_environments(recorded.environment, here.environment);
  const bool is_by_name = names == NameVerdict::ours;
  Judgement judgement{.report = {.has_environment = !here.environment.empty()}};
  std::vector<Trait>& traits = judgement.report.traits;
  traits = compare_servers(*recorded.server, here.server);
  std::ranges::move(compare_logs(recorded.log, here.log), std::back_inserter(traits));
  traits.push_back(compare_files(recorded.log, here.log));
  traits.insert(traits.begin(), {"environment", recorded.environment, here.environment, names == NameVerdict::copy});
  const bool is_other = std::ranges::any_of(
      traits, [&](const Trait& trait) { return trait.differs && (trait.name == "environment" || !is_by_name); });
  traits.push_back(compare_places(recorded, here));
  judgement.is_asking = !is_by_name && !is_other && traits.back().differs;
  if (is_by_name) std::ranges::for_each(traits, [](Trait& trait) { trait.differs = false; });
  traits.push_back({.name = "server's own address", .here = here.address, .is_only_shown = true});
  judgement.report.is_copy = is_other || judgement.is_asking;
  return judgement;
}

RecordedTraits completed(const RecordedTraits& recorded, const TraitsHere& here) {
  RecordedTraits complete{.server = here.server,
                          .environment = recorded.environment,
                          .places = recorded.places,
                          .log = completed_log(recorded, here)};
  if (complete.environment.empty()) complete.environment = here.environment;
  for (const Place& place : here.configured) {
    if (!is_among(complete.places, place)) complete.places.push_back(place);
  }
  if (complete.places.size() > places_max) {
    complete.places.erase(complete.places.begin(), complete.places.end() - places_max);
  }
  return complete;
}

std::string to_string(const Server& server) {
  return fmt::format("{}-{}-{}", server.system, server.timeline, server.database.value_or(0));
}

}  // namespace makegood::postgres

#include "stores/sqlite/file_traits.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/machine.hpp"

namespace makegood::sqlite {
namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

/// Some file systems say that they keep it, and keep 0.
std::optional<std::int64_t> birth_of(const struct statx& status) {
  const std::int64_t birth =
      static_cast<std::int64_t>(status.stx_btime.tv_sec) * nanoseconds_per_second + status.stx_btime.tv_nsec;
  if ((status.stx_mask & STATX_BTIME) == 0 || birth == 0) return std::nullopt;
  return birth;
}

bool differ(const std::optional<std::int64_t>& recorded, const std::optional<std::int64_t>& here) {
  return recorded && here && *recorded != *here;
}

std::string birth_text(const std::optional<std::int64_t>& birth) {
  if (!birth) return {};
  const auto seconds = static_cast<std::time_t>(*birth / nanoseconds_per_second);
  return fmt::format("{:%FT%T}.{:09}Z", fmt::gmtime(seconds), *birth % nanoseconds_per_second);
}

std::string number_text(const std::optional<std::int64_t>& number) {
  return number ? fmt::format("{}", *number) : std::string();
}

/// Of the file alone, whatever the names say.
std::vector<Trait> compare_files(const FileTraits& recorded, const FileTraits& here) {
  const bool are_machines_other =
      !recorded.machine.empty() && !here.machine.empty() && recorded.machine != here.machine;
  return {{"inode", number_text(recorded.inode), number_text(here.inode), differ(recorded.inode, here.inode)},
          {"birth time", birth_text(recorded.birth), birth_text(here.birth), differ(recorded.birth, here.birth)},
          {"machine", recorded.machine, here.machine, are_machines_other}};
}

}  // namespace

Result<FileTraits> traits_of_file(const std::string& path) {
  if (path.empty()) return FileTraits{.inode = 0};
  struct statx status = {};
  if (statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &status) != 0) {
    return Error{Errc::store_unavailable, "The database file is gone.",
                 fmt::format("{}: {}", path, std::strerror(errno))};
  }
  return FileTraits{
      .inode = static_cast<std::int64_t>(status.stx_ino), .birth = birth_of(status), .machine = machine_digest()};
}

OriginReport judge(const FileTraits& recorded, const FileTraits& here) {
  const NameVerdict names = compare_environments(recorded.environment, here.environment);
  OriginReport report{.has_environment = !here.environment.empty()};
  report.traits.push_back({"environment", recorded.environment, here.environment, names == NameVerdict::copy});
  for (Trait& trait : compare_files(recorded, here)) {
    trait.differs = trait.differs && names != NameVerdict::ours;
    report.traits.push_back(std::move(trait));
  }
  report.is_copy = std::ranges::any_of(report.traits, &Trait::differs);
  return report;
}

FileTraits completed(const FileTraits& recorded, const FileTraits& here) {
  const bool is_as_here = compare_environments(recorded.environment, here.environment) == NameVerdict::ours;
  const FileTraits& first = is_as_here ? here : recorded;
  const FileTraits& second = is_as_here ? recorded : here;
  return {.environment = first.environment.empty() ? second.environment : first.environment,
          .inode = first.inode ? first.inode : second.inode,
          .birth = first.birth ? first.birth : second.birth,
          .machine = first.machine.empty() ? second.machine : first.machine};
}

bool is_other_file(const FileTraits& recorded, const FileTraits& here) {
  return differ(recorded.inode, here.inode) || differ(recorded.birth, here.birth);
}

}  // namespace makegood::sqlite

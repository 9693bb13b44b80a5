// Whether a database is the original or a copy of it: what all stores compare alike, and how it is told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/result.hpp"

namespace makegood {

/// What the names of the environments say alone: that of the store's record, and that of this process. Empty: none.
enum class NameVerdict { ours, copy, silent };
NameVerdict compare_environments(std::string_view recorded, std::string_view here);

/// One thing that tells an original from its copy. Empty: not known on that side.
struct Trait {
  std::string name;
  std::string recorded = {};
  std::string here = {};
  bool differs = false;          ///< It was judged, and speaks for a copy.
  bool is_only_shown = false;    ///< Nothing is recorded of it.
  bool asks_for_a_look = false;  ///< It differs and speaks for no copy; an operator should know why.
};

/// What was compared, and what follows from it.
struct OriginReport {
  bool is_copy = false;
  bool has_environment = false;  ///< This process has a name for where it runs.
  std::vector<Trait> traits = {};
};

/// `inode 12 here and 14 recorded`.
std::string to_string(const Trait& trait);
/// All traits, one after another.
std::string compared(const OriginReport& report);
/// Errc::store_foreign, with what differs in its diagnostics.
Error copy_error(const OriginReport& report);

}  // namespace makegood

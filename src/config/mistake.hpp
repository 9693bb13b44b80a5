// What is wrong with a configuration, told so that it can be mended without looking anything up.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/masked_url.hpp"
#include "config/config.hpp"
#include "makegood/result.hpp"

namespace makegood::config {

struct Mistake {
  Origin where;
  std::string key = {};    ///< Empty: the source as a whole.
  std::string value = {};  ///< As written; secrets are masked.
  std::string problem;
  std::string advice = {};   ///< What is allowed, or what was probably meant.
  std::string excerpt = {};  ///< The line of the file with a mark below the place; empty: it is not shown.
};

/// Mistakes stop a process; warnings do not.
struct Findings {
  std::vector<Mistake> mistakes = {};
  std::vector<Mistake> warnings = {};
};

/// One line: `makegood.yaml:4: tx.outbox.batch '0' is out of range; allowed: 1 to 10000`.
std::string to_string(const Mistake& mistake);
/// Errc::config_invalid with one line for each mistake in its diagnostics.
Error to_error(std::span<const Mistake> mistakes);

/// `text` without what a terminal would obey: control characters and bytes that are not UTF-8 become \xNN.
std::string printable(std::string_view text);
using makegood::masked_url;
using makegood::url_without_password;

}  // namespace makegood::config

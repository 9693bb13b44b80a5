// Destinations and routes kept in files: read, compared with what is registered, and made so.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/call.hpp"
#include "config/environment.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

/// What the files want of one outbox.
struct WantedOutbox {
  std::string outbox = {};              ///< Empty: the only one there is.
  std::vector<std::string> files = {};  ///< Where it is written.
  std::string destinations = {};        ///< A JSON array, as the REST call takes it; empty: no file has any.
  std::string routes = {};              ///< Likewise.
};
/// Each path is a YAML file, or a folder whose `*.yaml` and `*.yml` are read in the order of their names. All mistakes
/// at once, with file and line, as Errc::config_invalid.
Result<std::vector<WantedOutbox>> read_wanted(const std::vector<std::string>& paths,
                                              const config::Environment& environment);
/// The body of POST …/apply.
std::string apply_body(const WantedOutbox& wanted, bool is_dry, bool prunes, const std::string& reason);
/// An answer of POST …/apply, as lines with + - ~.
std::vector<std::string> difference_lines(const std::string& answer);

/// Makes a call in this process: `api.handle(call)`.
using HandleCall = std::function<api::Answer(const api::Call&)>;

/// For `serve --apply`: makes it so without a question, and removes nothing. Files that name no outbox mean
/// `only_outbox`. Answers the lines of all differences.
Result<std::vector<std::string>> apply_files(const std::vector<std::string>& paths,
                                             const config::Environment& environment, const std::string& only_outbox,
                                             const HandleCall& handle);

}  // namespace makegood::cli

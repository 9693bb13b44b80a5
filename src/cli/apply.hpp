// Destinations, routes and sagas kept in files: read, compared with what is registered, and made so.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/call.hpp"
#include "api/saga_document.hpp"
#include "config/environment.hpp"
#include "config/mistake.hpp"
#include "daemon/apply_at_start.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

/// What the files want of one outbox.
struct WantedOutbox {
  std::string outbox = {};              ///< Empty: the only one there is.
  std::vector<std::string> files = {};  ///< Where it is written.
  std::string destinations = {};        ///< A JSON array, as the REST call takes it; empty: no file has any.
  std::string routes = {};              ///< Likewise.
  std::string sources = {};             ///< A JSON array of what is put one by one; empty: no file has any.
};
struct WantedSource {
  std::string name = {};
  std::string document = {};  ///< JSON, as the REST call takes it.
};
/// Those that the files register.
std::vector<WantedSource> wanted_sources(const WantedOutbox& outbox);
struct WantedSaga {
  std::string file = {};
  std::string name = {};
  std::string document = {};  ///< JSON, as the REST call takes it.
  api::SagaDocument read = {};
  std::shared_ptr<const std::string> text = {};  ///< Of the file.
};
/// Those that the files register.
std::set<std::string> destination_names(const WantedOutbox& outbox);

struct Wanted {
  std::vector<WantedOutbox> outboxes = {};
  std::vector<WantedSaga> sagas = {};
};
struct FilesRead {
  Wanted wanted = {};
  std::vector<config::Mistake> mistakes = {};
};
/// Each path is a YAML file, or a folder whose `*.yaml` and `*.yml` are read in the order of their names. An error is a
/// file that cannot be read at all.
Result<FilesRead> read_files(const std::vector<std::string>& paths, const config::Environment& environment);
/// The same; all mistakes at once, with file and line, are Errc::config_invalid.
Result<Wanted> read_wanted(const std::vector<std::string>& paths, const config::Environment& environment);
struct ApplyManner {
  bool is_dry = false;
  bool prunes = false;
  bool replaces = false;  ///< A destination's document is all of it, and not a change.
  std::string reason = {};
};
/// The body of POST …/apply.
std::string apply_body(const WantedOutbox& wanted, const ApplyManner& manner);
/// An answer of POST …/apply, as lines with + - ~.
std::vector<std::string> difference_lines(const std::string& answer);

/// Where a saga is put.
std::string saga_path(const std::string& name);
/// An answer of that, as a line with + or ~; empty: nothing changes.
std::string saga_line(const std::string& answer);

/// Where a source is put.
std::string source_path(const std::string& outbox, const std::string& name);
/// An answer of that, as a line with + or ~; empty: nothing changes.
std::string source_line(const std::string& answer);

/// For `serve --apply`: makes it so without a question, and removes nothing. Files that name no outbox mean
/// `only_outbox`. Answers the lines of all differences.
Result<std::vector<std::string>> apply_files(const std::vector<std::string>& paths,
                                             const config::Environment& environment, const std::string& only_outbox,
                                             const daemon::HandleCall& handle);
/// The same of what was read already.
Result<std::vector<std::string>> apply_wanted(const Wanted& all, const std::string& only_outbox,
                                              const daemon::HandleCall& handle);

}  // namespace makegood::cli

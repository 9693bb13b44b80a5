// Requests to the owner of a lane: appended, and waited for a moment.
#pragma once

#include <optional>
#include <string>

#include "api/route_table.hpp"
#include "makegood/store.hpp"

namespace makegood::api {

struct Asked {
  std::int64_t request = 0;
  bool is_done = false;  ///< Otherwise it is open.
};
/// Errc::conflict with the owner's sentence when it was refused. Whose request it is comes from the call.
Result<Asked> ask(const Question& question, NewRequest request);
/// The same, as an answer: 200 or 202.
Result<Answer> ask_and_tell(const Question& question, NewRequest request);
Answer nothing_to_do();

/// Why the owner refused, as a sentence; nothing: it did not.
std::optional<std::string> refusal(std::string_view result);
/// Who is kept with requests.
std::string operator_of(const Call& call);

/// {"reason":…} and nothing else.
Result<std::string> reason_of(const Call& call);
/// Errc::not_found with the nearest name.
Error no_such_destination(const std::string& name, const std::vector<std::string>& known);
/// The same, unless nobody knows the destinations yet.
Result<> check_destination(const LaneView& lane, const std::string& name);
/// Errc::invalid when the call has a query.
Result<> refuse_query(const Call& call);

}  // namespace makegood::api

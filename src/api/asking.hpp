// Requests to the owner of a lane: appended, and waited for a moment.
#pragma once

#include <optional>
#include <string>

#include "api/operation.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::api {

/// Errc::conflict with the owner's sentence when it was refused. Whose request it is comes from the call.
Result<Asked> ask(const RoutedCall& routed, NewRequest request);
/// The same, as an answer: 200 or 202.
Result<Answer> ask_and_tell(const RoutedCall& routed, NewRequest request);
Answer nothing_to_do();

/// Why the owner refused, as a sentence; nothing: it did not.
std::optional<std::string> refusal(std::string_view result);
/// Who is kept with requests.
std::string operator_of(const Call& call);

/// What a request is kept with.
std::string reason_in(Fields& fields);
/// {"reason":…} and nothing else.
Result<std::string> reason_of(const Call& call);
inline constexpr Body because{.schema = "Because", .reads = reads<reason_in>};
/// Errc::not_found with the nearest name.
Error no_such_destination(const std::string& name, const std::vector<std::string>& known);
/// The same, unless nobody knows the destinations yet.
Result<> check_destination(const LaneView& lane, const std::string& name);
/// Errc::invalid when the call has a query.
Result<> refuse_query(const Call& call);

}  // namespace makegood::api

// Pages of lists: how many items, and from where on.
#pragma once

#include <optional>
#include <string>

#include "api/fields.hpp"
#include "api/json_out.hpp"
#include "makegood/spi/outbox_view.hpp"

namespace makegood::api {

inline constexpr TextRule tenant_rule{.says = "Only this tenant."};
inline constexpr TextRule topic_rule{.says = "A pattern: `*` stands for any run of characters."};

std::size_t limit_of(Fields& query);
/// A cursor that is a number: go on before it.
std::optional<std::int64_t> number_cursor(Fields& query);
/// `12 http:billing`, of a list of dead letters: go on after it.
DeadCursor dead_cursor(Fields& query);
std::string to_cursor(const DeadCursor& cursor);

/// The number in a path; Errc::not_found when it is none, for then there is no such thing.
Result<std::int64_t> number_in_path(const std::string& text, std::string_view what);

/// What a list of dead letters is narrowed by; from a query or from an object.
DeadFilter dead_filter(Fields& fields);
void put_filter(Writer& writer, const DeadFilter& filter);

}  // namespace makegood::api

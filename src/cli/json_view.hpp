// Answers of the API, read to be shown.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

using Json = rapidjson::Value;

/// Errc::unavailable when it is not a JSON object: then it was not Makegood that answered.
Result<rapidjson::Document> parse_answer(std::string_view body);

/// Whatever it is, for a table: null and what is missing are `-`.
std::string cell(const Json& object, const char* name);
/// A moment, as an age.
std::string ago_cell(const Json& object, const char* name, TimePoint now);
/// Empty when it is no text.
std::string text_at(const Json& object, const char* name);
/// 0 when it is no number.
std::int64_t number_at(const Json& object, const char* name);
bool flag_at(const Json& object, const char* name);
/// An empty one when it is no array, or no object.
const Json& array_at(const Json& object, const char* name);
const Json& object_at(const Json& object, const char* name);
/// The value as JSON.
std::string json_of(const Json& value);

}  // namespace makegood::cli

// The JSON that is kept in a store: written by us, and read back with suspicion. What is not there has a default; what
// is there and is something else is damage, never a default.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::json {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
using Value = rapidjson::Value;

void write_name(Writer& writer, std::string_view name);
void write_text(Writer& writer, std::string_view text);
void write(Writer& writer, std::string_view name, std::string_view text);
void write(Writer& writer, std::string_view name, std::int64_t number);
void write(Writer& writer, std::string_view name, double number);
void write(Writer& writer, std::string_view name, bool flag);

/// Errc::store_corrupt. The reader of the whole text adds what it was.
Error damage(std::string_view what);
/// A JSON object, or damage.
Result<rapidjson::Document> parse_object(std::string_view text);
std::string text_of(const Value& text);

/// Null when there is none.
const Value* member(const Value& object, const char* name);
/// Damage when it is missing.
Result<const Value*> object_in(const Value& object, const char* name);
Result<const Value*> array_in(const Value& object, const char* name);
Result<std::int64_t> number_in(const Value& object, const char* name);
/// When it is missing: the value given.
Result<std::int64_t> number_in(const Value& object, const char* name, std::int64_t absent);
Result<double> real_in(const Value& object, const char* name, double absent);
Result<bool> flag_in(const Value& object, const char* name, bool absent);
Result<std::string> text_in(const Value& object, const char* name);

}  // namespace makegood::json

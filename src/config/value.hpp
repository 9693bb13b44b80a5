// Between texts and the typed places of a Config.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/keys.hpp"

namespace makegood::config {

/// A value as it was written. Lists and maps may also be written as one text: `a,b` and `pattern=file,pattern=file`.
using Raw = std::variant<std::string, std::vector<std::string>, std::vector<SchemaFile>>;

/// What is wrong with a value, as the end of a sentence; empty when it was taken over.
using Complaint = std::optional<std::string>;

/// In the OUTBOX_* family a duration always has a unit; elsewhere a key in milliseconds may be a plain number.
enum class Writing { plain, with_unit };

Complaint assign(const Key& key, Config& config, const Raw& raw, Writing writing = Writing::plain);

/// The value in the form in which it can be read back.
std::string text_of(const Key& key, const Config& config);
/// The same for people: secrets are masked.
std::string shown(const Key& key, const Config& config);
/// A value as it was written, for a message; secrets are masked.
std::string shown(const Key& key, const Raw& raw);

/// What may be written, as in `1 to 10000` or `block, skip or block_on_dead`.
std::string allowed(const Key& key);
std::string type_name(const Key& key);

}  // namespace makegood::config

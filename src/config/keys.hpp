// The one table of keys. Reading, checking, showing and the reference page all derive from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.hpp"

namespace makegood::config {

/// The place in a Config that a key stands for; its type is the key's type.
using Slot = std::variant<bool*, std::uint32_t*, std::size_t*, double*, Duration*, std::string*, Ordering*,
                          sqlite::TopicGrammar*, LogFormat*, LogLevel*, TenantLabel*, std::vector<std::string>*,
                          std::vector<std::uint16_t>*, std::vector<Duration>*, std::vector<SchemaFile>*>;

/// How a number or a duration is written.
enum class Unit { none, bytes, milliseconds, duration };

/// What a text is, or each of a list.
enum class Form { url, web_address, address, file, path, table, network, secret, name_server, name, cache };

/// Inclusive. Durations are in milliseconds here.
struct Range {
  double min = 0;
  double max = 0;
};

struct Key {
  std::string_view name;
  Slot (*slot)(Config&);
  Unit unit = Unit::none;
  Form form = Form::url;
  Range range = {};
  std::string_view alias = {};  ///< The variable's name in the family OUTBOX_*; durations there are written as `30s`.
  bool is_reloadable = false;
  bool is_for_new = false;  ///< What a destination gets when it is put; those in the store keep what they have.
  bool is_secret = false;   ///< A URL whose user and password are never shown.
  std::string_view description;
};

std::span<const Key> keys();
const Key* find_key(std::string_view name);
/// Whether `name` is a map on the way to some key, as `tx.outbox` is.
bool is_section(std::string_view name);
/// The environment variable of a key: `tx.outbox.batch` is MAKEGOOD_TX_OUTBOX_BATCH.
std::string variable_of(const Key& key);

}  // namespace makegood::config

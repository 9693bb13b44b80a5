// The texts of the enumerations that a configuration can choose from, in the order of the enumerators.
#pragma once

#include <array>
#include <string_view>

#include "config/config.hpp"

namespace makegood::config {

template <class Enum>
inline constexpr std::array<std::string_view, 0> choices = {};

template <>
inline constexpr std::array<std::string_view, 3> choices<Ordering> = {"block", "skip", "block_on_dead"};
template <>
inline constexpr std::array<std::string_view, 2> choices<sqlite::TopicGrammar> = {"any", "versioned"};
template <>
inline constexpr std::array<std::string_view, 2> choices<LogFormat> = {"text", "json"};
template <>
inline constexpr std::array<std::string_view, 5> choices<LogLevel> = {"debug", "info", "warn", "error", "critical"};
template <>
inline constexpr std::array<std::string_view, 3> choices<TenantLabel> = {"off", "top_n", "all"};

}  // namespace makegood::config

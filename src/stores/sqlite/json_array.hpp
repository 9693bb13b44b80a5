// Arrays as SQLite takes them: for json_each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace makegood::sqlite {

std::string json_array_of(std::span<const std::string> texts);
std::string json_array_of(std::span<const std::int64_t> numbers);

}  // namespace makegood::sqlite

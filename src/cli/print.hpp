// Output for people and for programs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace makegood::cli {

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell, the last one as it comes. What a terminal would obey is escaped.
void print_table(const Row& head, const std::vector<Row>& rows);

/// A JSON text. Bytes that are not UTF-8, or that would turn the direction of writing, are written as \xNN.
std::string json_text(std::string_view text);
/// `{"name":value,…}`; the values are JSON already.
std::string json_object(const std::vector<std::pair<std::string_view, std::string>>& members);
/// `[value,…]`, one value per line.
std::string json_array(const std::vector<std::string>& values);

void warn(std::string_view sentence);

}  // namespace makegood::cli

// What a header `Idempotency-Key` says.
#pragma once

#include <string>
#include <string_view>

namespace makegood {

/// `"a key"` and `a key` are the same; within quotes `\"` and `\\` are signs. Empty: it is no key.
inline std::string key_in_header(std::string_view header) {
  if (!header.starts_with('"')) return std::string(header);
  if (header.size() < 2 || !header.ends_with('"')) return {};
  std::string key;
  header = header.substr(1, header.size() - 2);
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == '\\' && i + 1 < header.size()) ++i;
    key += header[i];
  }
  return key;
}

}  // namespace makegood

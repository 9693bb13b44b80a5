// What goes into the path and the query of a call.
#pragma once

#include <string>
#include <string_view>

namespace makegood::cli {

/// Everything but letters, digits and `-._~:` becomes %XX.
std::string percent_encoded(std::string_view text);

/// `a=1&b=x%20y`.
class Query {
 public:
  /// An empty value is left out.
  Query& add(std::string_view name, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace makegood::cli

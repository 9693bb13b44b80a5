// The name of an outbox, checked once; the only thing that is ever written into SQL.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "makegood/result.hpp"

namespace makegood::sqlite {

/// A letter or `_`, then letters, digits and `_`, 63 in all: safe between quotes of any kind, and in a file name.
class Identifier {
 public:
  static Result<Identifier> from(std::string_view name);

  const std::string& name() const { return name_; }
  /// `sql` with each `{outbox}` replaced by the name.
  std::string into(std::string_view sql) const;

 private:
  explicit Identifier(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

}  // namespace makegood::sqlite

// What is wrong with a call or a document, all of it at once, so that it is mended in one go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/result.hpp"

namespace makegood {

class Mistakes {
 public:
  /// `problem` reads on from the name of the field: "is missing". Never a secret, never a payload.
  void add(std::string_view field, std::string_view problem);
  void add_all(const Mistakes& others);
  /// It cannot be read at all; then nothing else is told.
  void add_unreadable(Error error);
  std::size_t count() const { return sentences_.size() + (unreadable_ ? 1 : 0); }
  bool empty() const { return count() == 0; }
  /// "The body has 2 mistakes: …".
  Error as_error(std::string_view what, Errc code = Errc::invalid) const;

 private:
  std::vector<std::string> sentences_;
  std::optional<Error> unreadable_;
};

/// A value as a mistake shows it: short, and without what would disturb a terminal.
std::string shown(std::string_view value);
/// A sentence without its full stop, to go on after it.
std::string_view without_stop(std::string_view sentence);

}  // namespace makegood

#include "base/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace makegood {
namespace {

constexpr std::size_t told_max = 20;
constexpr std::size_t shown_max = 64;

}  // namespace

void Mistakes::add(std::string_view field, std::string_view problem) {
  sentences_.push_back(fmt::format("{} {}", field, problem));
}

void Mistakes::add_all(const Mistakes& others) {
  if (others.unreadable_) unreadable_ = others.unreadable_;
  sentences_.insert(sentences_.end(), others.sentences_.begin(), others.sentences_.end());
}

void Mistakes::add_unreadable(Error error) { unreadable_ = std::move(error); }

Error Mistakes::as_error(std::string_view what, Errc code) const {
  if (unreadable_) return *unreadable_;
  const std::size_t told = std::min(sentences_.size(), told_max);
  const auto end = sentences_.begin() + static_cast<std::ptrdiff_t>(told);
  const std::string more = told == sentences_.size() ? "" : fmt::format("; and {} more", sentences_.size() - told);
  return {code, fmt::format("{} has {} mistake{}: {}{}.", what, sentences_.size(), sentences_.size() == 1 ? "" : "s",
                            fmt::join(sentences_.begin(), end, "; "), more)};
}

std::string shown(std::string_view value) {
  std::string text(value.substr(0, shown_max));
  std::ranges::replace_if(text, [](char c) { return c < 0x20 || c > 0x7E; }, '?');
  if (value.size() > shown_max) text += "...";
  return text;
}

std::string_view without_stop(std::string_view sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

}  // namespace makegood

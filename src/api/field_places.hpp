// Where the fields of a saga stand in its document.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/document_node.hpp"

namespace makegood::api {

/// Where the fields of steps stand, so that what a check finds can be shown in the document.
class FieldPlaces {
 public:
  struct Spot {
    std::string pointer;
    TextPlace place = {};
  };
  using Step = std::optional<std::size_t>;

  void put(Step step, const std::string& field, Spot spot) { spots_.insert_or_assign({step, field}, std::move(spot)); }
  /// The nearest that is there: the field, what it is in, the step, the document.
  Spot find(Step step, std::string field) const {
    for (;;) {
      if (const auto found = spots_.find({step, field}); found != spots_.end()) return found->second;
      if (field.empty() && !step) return {};
      if (field.empty()) step.reset();
      const std::size_t dot = field.rfind('.');
      field.erase(dot == std::string::npos ? 0 : dot);
    }
  }

  /// The steps stand in another order now: `moved[i]` is where the i-th has gone; nothing: it is gone.
  void reorder(const std::vector<Step>& moved) {
    std::map<std::pair<Step, std::string>, Spot> spots;
    for (auto& [key, spot] : spots_) {
      const Step step = key.first ? moved.at(*key.first) : Step();
      if (step || !key.first) spots.insert_or_assign({step, key.second}, std::move(spot));
    }
    spots_ = std::move(spots);
  }

 private:
  std::map<std::pair<Step, std::string>, Spot> spots_;
};

}  // namespace makegood::api

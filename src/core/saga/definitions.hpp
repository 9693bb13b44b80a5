// The definitions that a shard knows. A version never changes; which one is the newest does.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/saga/shard.hpp"

namespace makegood::core {

class Definitions {
 public:
  /// Whether the store has to be asked first.
  bool is_unknown(const DefinitionName& name) const { return !known_.contains(name); }
  /// Null: there is none.
  SagaDefinitionPtr find(const DefinitionName& name) const {
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : found->second;
  }
  void learn(const DefinitionName& name, const SagaDefinitionPtr& definition) {
    known_[name] = definition;
    if (definition) known_[{name.name, definition->version}] = definition;
  }
  /// Somebody has put a new version: the newest is asked for again, and so is what was not there.
  void forget_newest(const std::string& name) {
    std::erase_if(known_, [&](const auto& each) {
      return each.first.name == name && (each.first.version == 0 || each.second == nullptr);
    });
  }

 private:
  std::map<DefinitionName, SagaDefinitionPtr> known_;
};

}  // namespace makegood::core

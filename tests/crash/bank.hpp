// A participant of sagas with a ledger of its own, in a file of its own. Every effect is an entry that is never
// changed, written in one transaction with the row of the barrier that allows it: what is done twice, or undone twice,
// stays visible.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "tests/crash/database.hpp"

namespace makegood::crash {

/// The action that a request is about.
struct BankKey {
  std::string execution;
  std::string step;
  std::uint32_t round = 1;
};

class Bank {
 public:
  enum class Kind {
    barrier,  ///< Refuses an action whose compensation was there before it.
    late,     ///< Knows its keys, and no more.
  };
  Bank(const std::filesystem::path& folder, const std::string& name, Kind kind);

  /// Moves the money once, however often it is asked. False: it was compensated, and stays so.
  bool act(const BankKey& key, std::int64_t cents);
  /// Makes sure that no round of the action up to this one has an effect.
  void undo(const BankKey& key);
  /// What is left of the effects of each step, as `execution step`; what has come to nothing is left out.
  std::map<std::string, std::int64_t> effects();

 private:
  bool claim(const BankKey& key);
  void run(const std::string& sql);

  const Kind kind_;
  const std::unique_ptr<Database> database_;
};

}  // namespace makegood::crash

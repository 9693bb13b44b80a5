// One execution carried out by the real core over a store in memory. Nobody is called, and time passes as it is needed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "makegood/saga_definition.hpp"
#include "makegood/spi/saga_store.hpp"
#include "rehearsal/participants.hpp"

namespace makegood::rehearsal {

/// What whoever has to approve a step does.
enum class Decision { approve, reject, nothing };

struct Play {
  std::string input = "{}";
  Script script = {};
  std::map<std::string, Decision> decisions = {};  ///< By step; otherwise: approve.
  std::set<std::string> silent_events = {};        ///< Steps whose event nobody tells of.
};

struct Played {
  SagaState state = SagaState::pending;
  std::string step = {};  ///< Where it failed or stands.
  std::string code = {};
  std::vector<std::string> undone = {};   ///< In their order.
  std::vector<std::string> open = {};     ///< As the execution says: may be done, and is not undone.
  std::vector<std::string> left = {};     ///< Done and not undone, though everything was to be undone.
  std::vector<std::string> skipped = {};  ///< Left out.
  std::vector<std::string> begun = {};    ///< Whose action was called.
  std::vector<bool> met = {};             ///< For each fault of the script: whether it has happened.
  std::size_t calls = 0;
};

/// Errc::internal: it does not come to an end.
Result<Played> play(const SagaDefinition& definition, const Play& wanted);

}  // namespace makegood::rehearsal

// Clients that claim the same few keys, die, freeze and come back, while time jumps and keys are purged. Promise P8: at
// most one effect per key while it is remembered, and the same answer for everybody who asks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/chance.hpp"
#include "sim/idempotency_model.hpp"

namespace makegood::sim {

/// Situations that a long run must have been in.
enum class KeySite : std::uint8_t {
  fresh,
  hit,
  busy,
  mismatch,
  in_doubt,
  failed_before,
  lost_race,
  taken_over,
  fenced_finish,
  lost_answer,
  late_finish,
  died_at_work,
  resolved_done,
  resolved_not_done,
  purged,
  second_life,
};
inline constexpr std::size_t key_site_count = 16;
std::string_view to_string(KeySite site);

struct KeySummary {
  std::vector<std::string> violations = {};
  std::vector<std::string> story = {};
  std::array<std::uint64_t, key_site_count> sites = {};
  std::uint64_t effects = 0;
};

class KeyWorld {
 public:
  KeyWorld(std::uint64_t seed, std::uint64_t steps) : seed_(seed), steps_(steps) {}
  KeySummary run();

 private:
  enum class At : std::uint8_t { idle, looked, working, done };
  struct Client {
    At at = At::idle;
    ClaimRequest request = {};
    std::optional<KeyRecord> seen = {};
    TimePoint held_until = {};
    TimePoint claimed_at = {};
    StoredResult result = {};  ///< Of its effect.
  };
  /// One effect on the world outside, as an independent ledger has it.
  struct Effect {
    std::string fingerprint;
    std::string digest;
    TimePoint remembered_until;
  };

  void step(Chance& chance);
  void act(Client& client, Chance& chance);
  void ask(Client& client, Chance& chance);
  void look(Client& client);
  void take(Client& client);
  void work(Client& client, Chance& chance);
  void finish(Client& client, Chance& chance);
  void commit_with_effect(Client& client, Chance& chance);
  void fail(Client& client);
  void operate(Chance& chance);
  void settle();

  void cause(Client& client);
  void remember(const Client& client, TimePoint until);
  void check_answer(const Client& client, const ClaimAnswer& answer);
  void hit(KeySite site) { ++summary_.sites[static_cast<std::size_t>(site)]; }
  void tell(const std::string& line);
  void blame(const std::string& line);
  ClaimToken token_of(const Client& client) const { return {client.request.key, client.request.token}; }

  const std::uint64_t seed_;
  const std::uint64_t steps_;
  TimePoint now_ = TimePoint(std::chrono::hours(1));
  std::uint64_t tokens_ = 0;
  KeyModel table_;
  std::array<Client, 6> clients_ = {};
  std::map<IdempotencyKey, std::vector<Effect>> ledger_;
  KeySummary summary_;
};

}  // namespace makegood::sim

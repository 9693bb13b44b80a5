#include "sim/idempotency_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/mutant.hpp"

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;
using core::is_mutant;

constexpr Duration lease = 30s;
constexpr Duration ttl = 5min;
constexpr Duration grace = 1min;
constexpr std::array<const char*, 3> keys = {"k1", "k2", "k3"};
constexpr std::size_t story_max = 60;

constexpr std::array<std::string_view, key_site_count> key_site_names = {
    "a key was fresh",
    "a key was hit",
    "a key was busy",
    "a key came with other content",
    "a key was in doubt",
    "a claim was told of the failure before it",
    "a key was lost between look and take",
    "a key was taken over from an owner who fell silent",
    "a finish was fenced",
    "the answer to a commit was lost",
    "a finish came after its lease",
    "an owner died at its work",
    "a doubt was resolved as done",
    "a doubt was resolved as not done",
    "a key was purged",
    "a key was used again after its time",
};

}  // namespace

std::string_view to_string(KeySite site) { return key_site_names[static_cast<std::size_t>(site)]; }

void KeyWorld::tell(const std::string& line) {
  if (summary_.story.size() >= story_max) summary_.story.erase(summary_.story.begin());
  summary_.story.push_back(
      fmt::format("{:>6} s  {}", std::chrono::floor<std::chrono::seconds>(now_.time_since_epoch()).count(), line));
}

void KeyWorld::blame(const std::string& line) {
  tell(line);
  summary_.violations.push_back(line);
}

KeySummary KeyWorld::run() {
  for (std::uint64_t step = 0; step < steps_ && summary_.violations.empty(); ++step) {
    Chance chance(seed_, step);
    this->step(chance);
  }
  if (summary_.violations.empty()) settle();
  return std::move(summary_);
}

void KeyWorld::step(Chance& chance) {
  switch (chance.below(20)) {
    case 0:
      now_ += Duration(1s) * static_cast<int>(chance.below(20));
      return;
    case 1:
      if (chance.one_in(3)) now_ += Duration(1s) * static_cast<int>(chance.below(400));
      return;
    case 2:
      if (table_.purge(grace, now_) > 0) hit(KeySite::purged);
      return;
    case 3:
      return operate(chance);
    default:
      return act(clients_[chance.below(clients_.size())], chance);
  }
}

void KeyWorld::act(Client& client, Chance& chance) {
  if (client.at != At::idle && chance.one_in(25)) {
    if (client.at == At::working || client.at == At::done) hit(KeySite::died_at_work);
    tell(fmt::format("{} dies", client.request.token));
    client = {};
    return;
  }
  switch (client.at) {
    case At::idle:
      return ask(client, chance);
    case At::looked:
      return take(client);
    case At::working:
      return work(client, chance);
    case At::done:
      return finish(client, chance);
  }
}

/// Each key has one policy, as a route has: what is done for keys of `hold` happens outside of any transaction.
void KeyWorld::ask(Client& client, Chance& chance) {
  const std::size_t key = chance.below(keys.size());
  client = {};
  client.request = {.key = {.tenant_id = chance.one_in(4) ? "other" : "default", .scope = "s", .key = keys[key]},
                    .fingerprint = chance.one_in(8) ? "other body" : "body",
                    .ttl = ttl,
                    .lease = lease,
                    .after_lease = key == 0 ? AfterLease::hold : AfterLease::take_over,
                    .token = fmt::format("t{}", ++tokens_)};
  look(client);
}

void KeyWorld::look(Client& client) {
  client.seen = table_.look(client.request.key);
  const ClaimAnswer answer = KeyModel::answer(client.seen, client.request, now_);
  tell(fmt::format("{} asks for {}/{} and is told {}", client.request.token, client.request.key.tenant_id,
                   client.request.key.key, to_string(answer.outcome)));
  check_answer(client, answer);
  client.at = answer.outcome == ClaimOutcome::fresh ? At::looked : At::idle;
}

void KeyWorld::take(Client& client) {
  const auto before = table_.look(client.request.key);
  if (!table_.take(client.request, client.seen, now_)) {
    hit(KeySite::lost_race);
    return look(client);
  }
  hit(KeySite::fresh);
  if (before && before->state == KeyState::in_flight && before->expires_at > now_) hit(KeySite::taken_over);
  if (before && before->expires_at <= now_) hit(KeySite::second_life);
  tell(fmt::format("{} has it", client.request.token));
  client.at = At::working;
  client.claimed_at = now_;
  client.held_until = now_ + lease;
}

void KeyWorld::work(Client& client, Chance& chance) {
  if (chance.one_in(6)) {
    if (table_.renew(token_of(client), lease, now_)) client.held_until = now_ + lease;
    return;
  }
  if (chance.one_in(8)) return fail(client);
  if (client.request.after_lease == AfterLease::take_over) return commit_with_effect(client, chance);
  // Outside of a transaction nothing but the lease keeps two apart.
  const bool may_act = now_ < client.held_until || is_mutant("acts_after_its_lease");
  if (!may_act) return void(client = {});
  cause(client);
  remember(client, client.claimed_at + ttl);
  client.at = At::done;
}

void KeyWorld::fail(Client& client) {
  tell(fmt::format("{} fails", client.request.token));
  table_.fail(token_of(client), {.code = "AWAY"}, now_);
  client = {};
}

/// The effect and its finish are one transaction: a stale token takes both back.
void KeyWorld::commit_with_effect(Client& client, Chance& chance) {
  const StoredResult result{.digest = fmt::format("result of {}", client.request.token)};
  const bool is_late = now_ >= client.held_until;
  const bool is_finished = table_.finish(token_of(client), result, now_);
  if (!is_finished) hit(KeySite::fenced_finish);
  if (is_finished && is_late) hit(KeySite::late_finish);
  if (is_finished || is_mutant("zero_rows_ignored")) {
    cause(client);
    remember(client, now_ + ttl);
  }
  if (!chance.one_in(5)) return void(client = {});
  // It does not know whether it was committed: it says that it failed, or does it again with the same token.
  hit(KeySite::lost_answer);
  if (chance.one_in(2)) return fail(client);
}

/// Of what was done outside.
void KeyWorld::finish(Client& client, Chance& chance) {
  const bool is_late = now_ >= client.held_until;
  if (!table_.finish(token_of(client), client.result, now_)) {
    hit(KeySite::fenced_finish);
    return void(client = {});
  }
  if (is_late) hit(KeySite::late_finish);
  remember(client, now_ + ttl);
  if (chance.one_in(5)) hit(KeySite::lost_answer);
  client = {};
}

/// An operator finds out what really happened.
void KeyWorld::operate(Chance& chance) {
  const IdempotencyKey key{.tenant_id = "default", .scope = "s", .key = keys[chance.below(keys.size())]};
  const auto record = table_.look(key);
  if (!record || record->state != KeyState::in_flight) return;
  const auto& effects = ledger_[record->key];
  const bool was_done = !effects.empty() && effects.back().digest == fmt::format("result of {}", record->token);
  const StoredResult result{.digest = was_done ? effects.back().digest : ""};
  if (!table_.resolve(key, was_done, result, fmt::format("o{}", ++tokens_), now_)) return;
  hit(was_done ? KeySite::resolved_done : KeySite::resolved_not_done);
  tell(fmt::format("an operator resolves {} as {}", key.key, was_done ? "done" : "not done"));
}

/// P8: a second effect is one too many as long as the first is remembered.
void KeyWorld::cause(Client& client) {
  ++summary_.effects;
  client.result = {.digest = fmt::format("result of {}", client.request.token)};
  tell(fmt::format("{} has its effect", client.request.token));
  auto& effects = ledger_[client.request.key];
  if (!effects.empty() && client.claimed_at < effects.back().remembered_until) {
    blame(fmt::format("P8: {}/{} has a second effect, by {} after {}", client.request.key.tenant_id,
                      client.request.key.key, client.request.token, effects.back().digest));
  }
  effects.push_back({client.request.fingerprint, client.result.digest, client.claimed_at});
}

void KeyWorld::remember(const Client& client, TimePoint until) {
  auto& effects = ledger_[client.request.key];
  const auto own = std::ranges::find(effects, fmt::format("result of {}", client.request.token), &Effect::digest);
  if (own != effects.end()) own->remembered_until = std::max(own->remembered_until, until);
}

/// Who asks with the same content gets the same answer, and nobody else gets it.
void KeyWorld::check_answer(const Client& client, const ClaimAnswer& answer) {
  const auto& effects = ledger_[client.request.key];
  const bool is_remembered = !effects.empty() && effects.back().remembered_until > now_;
  switch (answer.outcome) {
    case ClaimOutcome::fresh:
      if (!answer.failure_code.empty()) hit(KeySite::failed_before);
      return;
    case ClaimOutcome::hit:
      hit(KeySite::hit);
      if (effects.empty() || effects.back().digest != answer.result.digest) {
        blame(fmt::format("P8: {} was given '{}', which is not the result of its key", client.request.token,
                          answer.result.digest));
      } else if (effects.back().fingerprint != client.request.fingerprint) {
        blame(fmt::format("P8: {} was given the result of other content", client.request.token));
      }
      return;
    case ClaimOutcome::busy:
      return hit(KeySite::busy);
    case ClaimOutcome::mismatch:
      hit(KeySite::mismatch);
      if (is_remembered && effects.back().fingerprint == client.request.fingerprint) {
        blame(fmt::format("P8: {} was refused as other content, and is the same", client.request.token));
      }
      return;
    case ClaimOutcome::in_doubt:
      return hit(KeySite::in_doubt);
    case ClaimOutcome::last_failed:
      return blame(fmt::format("{} was told of a failure that nobody called final", client.request.token));
  }
}

/// Nothing fails any more: after a lease every key can be used or is in doubt, after its time it is as new, and a purge
/// leaves nothing.
void KeyWorld::settle() {
  clients_ = {};
  now_ += lease;
  for (const auto& [key, record] : table_.records()) {
    const ClaimRequest request{.key = record.key, .fingerprint = record.fingerprint, .token = "last"};
    const ClaimOutcome outcome = KeyModel::answer(record, request, now_).outcome;
    if (outcome == ClaimOutcome::busy) blame(fmt::format("{} is busy and nobody works on it", key.key));
    if (outcome == ClaimOutcome::last_failed) blame(fmt::format("{} failed for good by a passing failure", key.key));
  }
  now_ += ttl;
  for (const auto& [key, record] : table_.records()) {
    const ClaimRequest request{.key = record.key, .fingerprint = "any", .token = "last"};
    if (KeyModel::answer(record, request, now_).outcome != ClaimOutcome::fresh) {
      blame(fmt::format("{} is remembered beyond its time", key.key));
    }
  }
  now_ += grace + 1s;
  table_.purge(grace, now_);
  if (!table_.records().empty()) blame("keys are kept for ever");
}

}  // namespace makegood::sim

// A table of idempotency keys in memory, with the statements that the stores have, each atomic, and the rules of the
// base. The mistakes of its bank can be made here.
#pragma once

#include <map>
#include <optional>

#include "base/key_rules.hpp"

namespace makegood::sim {

class KeyModel {
 public:
  std::optional<KeyRecord> look(const IdempotencyKey& key) const;
  /// What a claim is told by what it saw in a look at `now`.
  static ClaimAnswer answer(const std::optional<KeyRecord>& seen, const ClaimRequest& request, TimePoint now);
  /// True: it is the claimer's now. `seen`: what its look had shown.
  bool take(const ClaimRequest& request, const std::optional<KeyRecord>& seen, TimePoint now);
  bool renew(const ClaimToken& claim, Duration lease, TimePoint now);
  bool finish(const ClaimToken& claim, const StoredResult& result, TimePoint now);
  bool fail(const ClaimToken& claim, const Failure& failure, TimePoint now);
  bool resolve(const IdempotencyKey& key, bool was_done, const StoredResult& result, const std::string& token,
               TimePoint now);
  std::size_t purge(Duration grace, TimePoint now);

  const std::map<IdempotencyKey, KeyRecord>& records() const { return records_; }

 private:
  static IdempotencyKey stored(const IdempotencyKey& key);
  /// The key if this claim is in flight.
  KeyRecord* in_flight(const ClaimToken& claim);

  std::map<IdempotencyKey, KeyRecord> records_;
};

}  // namespace makegood::sim

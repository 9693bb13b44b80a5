// Claims that renew themselves, and functions that run once: idempotency for a C++ program.
#pragma once

#include <functional>

#include "makegood/idempotency.hpp"
#include "makegood/spi/idempotency_store.hpp"

namespace makegood {

struct IdempotencyOptions {
  std::string schema = {};  ///< PostgreSQL's; empty: whatever the search path says.
  ResultLimits limits = {};
  std::shared_ptr<const Seal> seal = {};  ///< Null: answers are stored as they are.
};

class Idempotency;

/// A key that this program may hold. While it lives, a fresh claim is renewed. When it is destroyed without finish or
/// fail, renewing ends and the lease runs out: nobody knows how far the work came.
class Claim {
 public:
  Claim(Claim&&) noexcept;
  Claim& operator=(Claim&&) noexcept;
  ~Claim();

  const ClaimAnswer& answer() const;
  bool is_fresh() const { return answer().outcome == ClaimOutcome::fresh; }
  /// For finish or fail inside the caller's own transaction (makegood/sqlite_idempotency.hpp,
  /// makegood/postgres_idempotency.hpp); call settled() after its commit.
  ClaimToken token() const;
  /// False: a renewal was refused or is overdue. Somebody else may be at work on it.
  bool is_held() const;

  /// In a transaction of its own. Errc::fenced: the key was taken over; what was done counts for nothing here.
  Result<> finish(const StoredResult& result = {});
  Result<> fail(const Failure& failure);
  /// It was finished or failed elsewhere: stops renewing.
  void settled();

 private:
  friend class Idempotency;
  class Held;
  explicit Claim(std::unique_ptr<Held> held);
  std::unique_ptr<Held> held_;
};

/// The keys of one store, for all threads of a program. What several threads ask at once shares one commit.
class Idempotency {
 public:
  /// `sqlite:PATH`, `postgres://…` as libpq takes it, or `memory:`. The tables are brought to this version.
  static Result<Idempotency> open(std::string_view store_url, const IdempotencyOptions& options = {});
  /// Over stores that are open already: one for what is asked, one for the thread that renews. Where writers do not
  /// wait for each other, a third one for what is finished.
  static Idempotency over(std::unique_ptr<IdempotencyStore> store, std::unique_ptr<IdempotencyStore> renewals,
                          std::unique_ptr<IdempotencyStore> finishes = nullptr);
  Idempotency(Idempotency&&) noexcept;
  Idempotency& operator=(Idempotency&&) noexcept;
  /// All claims must be gone before it.
  ~Idempotency();

  /// Errors are those of the store; that a key is busy is an answer.
  Result<Claim> claim(const ClaimRequest& request);

  /// What ran now, or what was stored when it ran before.
  struct Ran {
    StoredResult result;
    bool is_replay = false;
  };
  /// Runs `work` if the key is fresh, stores what it returns, and returns it; a later call returns what was stored.
  /// When `work` fails, so does this, and the next call runs it again, unless `is_final` says that its error is kept.
  /// Errc::idempotent_busy, Errc::idempotent_mismatch, Errc::idempotent_last_failed, Errc::in_doubt.
  /// An exception of `work` passes through and leaves the key to its policy.
  using Work = std::function<Result<StoredResult>(const ClaimToken& claim)>;
  using IsFinal = std::function<bool(const Error& error)>;
  Result<Ran> run_once(const ClaimRequest& request, const Work& work, const IsFinal& is_final = {});

  /// Nothing: there is no such key, or its time is over.
  Result<std::optional<KeyView>> look_up(const IdempotencyKey& key);
  /// One at a time, for everything that is not on the way of a request.
  Result<> with_store(const std::function<Result<>(IdempotencyStore& store)>& act);

 private:
  friend class Claim;
  class Parts;
  explicit Idempotency(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace makegood

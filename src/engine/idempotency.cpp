#include <type_traits>

#include "engine/renewals.hpp"
#include "engine/shared_commits.hpp"
#include "makegood/claims.hpp"

namespace makegood {

class Idempotency::Parts {
 public:
  Parts(std::unique_ptr<IdempotencyStore> store, std::unique_ptr<IdempotencyStore> renewals,
        std::unique_ptr<IdempotencyStore> finishes)
      : first_(std::move(store)), second_(std::move(finishes)), renewals_(std::move(renewals)) {}

  Result<ClaimAnswer> claim(const ClaimRequest& request) { return claims_.ask(request); }
  Result<> finish(const Finish& finish) { return finishes_.ask(finish); }
  Renewals& renewals() { return renewals_; }

  template <class Act>
  std::invoke_result_t<const Act&, IdempotencyStore&> with_store(const Act& act) {
    return first_.with(act);
  }

 private:
  /// A store that one thread at a time uses.
  class GuardedStore {
   public:
    explicit GuardedStore(std::unique_ptr<IdempotencyStore> store) : store_(std::move(store)) {}

    template <class Act>
    std::invoke_result_t<const Act&, IdempotencyStore&> with(const Act& act) {
      const std::scoped_lock lock(mutex_);
      return act(*store_);
    }
    bool is_there() const { return store_ != nullptr; }

   private:
    std::mutex mutex_;
    const std::unique_ptr<IdempotencyStore> store_;  ///< Guarded by mutex_.
  };

  GuardedStore first_;
  GuardedStore second_;  ///< For finishes, if it is there.
  Renewals renewals_;
  SharedCommits<ClaimRequest, Result<ClaimAnswer>> claims_{[this](std::span<const ClaimRequest> requests) {
    return first_.with([&](IdempotencyStore& store) { return store.claim(requests); });
  }};
  SharedCommits<Finish, Result<>> finishes_{[this](std::span<const Finish> finishes) {
    GuardedStore& place = second_.is_there() ? second_ : first_;
    return place.with([&](IdempotencyStore& store) { return store.finish(finishes); });
  }};
};

class Claim::Held {
 public:
  Held(Idempotency::Parts& parts, const ClaimRequest& request, ClaimAnswer told, MonotonicTime since)
      : parts_(parts), key_(request.key), answer_(std::move(told)) {
    if (answer_.outcome == ClaimOutcome::fresh) place_ = parts_.renewals().hold(token(), request.lease, since);
  }
  ~Held() { let_go(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  const ClaimAnswer& answer() const { return answer_; }
  ClaimToken token() const { return {key_, answer_.token}; }
  bool is_held() const { return place_ && parts_.renewals().is_held(*place_); }
  void let_go() {
    if (place_) parts_.renewals().let_go(*place_);
    place_.reset();
  }
  /// Renewing ends when the store has said the last word about it.
  Result<> settle(Result<> settled) {
    if (settled || settled.error().code == Errc::fenced) let_go();
    return settled;
  }
  Idempotency::Parts& parts() { return parts_; }

 private:
  Idempotency::Parts& parts_;
  const IdempotencyKey key_;
  const ClaimAnswer answer_;
  std::optional<Renewals::Place> place_;
};

Claim::Claim(std::unique_ptr<Held> held) : held_(std::move(held)) {}
Claim::~Claim() = default;
Claim::Claim(Claim&&) noexcept = default;
Claim& Claim::operator=(Claim&&) noexcept = default;

const ClaimAnswer& Claim::answer() const { return held_->answer(); }
ClaimToken Claim::token() const { return held_->token(); }
bool Claim::is_held() const { return held_->is_held(); }
void Claim::settled() { held_->let_go(); }

Result<> Claim::finish(const StoredResult& result) {
  return held_->settle(held_->parts().finish({.claim = token(), .result = result}));
}

Result<> Claim::fail(const Failure& failure) {
  return held_->settle(
      held_->parts().with_store([&](IdempotencyStore& store) { return store.fail(token(), failure); }));
}

Idempotency::Idempotency(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Idempotency::~Idempotency() = default;
Idempotency::Idempotency(Idempotency&&) noexcept = default;
Idempotency& Idempotency::operator=(Idempotency&&) noexcept = default;

Idempotency Idempotency::over(std::unique_ptr<IdempotencyStore> store, std::unique_ptr<IdempotencyStore> renewals,
                              std::unique_ptr<IdempotencyStore> finishes) {
  return Idempotency(std::make_unique<Parts>(std::move(store), std::move(renewals), std::move(finishes)));
}

Result<Idempotency> Idempotency::open(std::string_view store_url, const IdempotencyOptions& options) {
  const ResultStorage storage{options.limits, options.seal};
  auto store = MAKEGOOD_TRY(open_idempotency_store(store_url, options.schema, true, storage));
  auto renewals = MAKEGOOD_TRY(open_idempotency_store(store_url, options.schema, false));
  std::unique_ptr<IdempotencyStore> finishes;
  if (!store->has_one_writer()) {
    finishes = MAKEGOOD_TRY(open_idempotency_store(store_url, options.schema, false, storage));
  }
  return over(std::move(store), std::move(renewals), std::move(finishes));
}

Result<Claim> Idempotency::claim(const ClaimRequest& request) {
  const MonotonicTime since = system_clock().monotonic();
  ClaimAnswer answer = MAKEGOOD_TRY(parts_->claim(request));
  return Claim(std::make_unique<Claim::Held>(*parts_, request, std::move(answer), since));
}

Result<Idempotency::Ran> Idempotency::run_once(const ClaimRequest& request, const Work& work, const IsFinal& is_final) {
  Claim claim = MAKEGOOD_TRY(this->claim(request));
  if (claim.answer().outcome == ClaimOutcome::hit) return Ran{.result = claim.answer().result, .is_replay = true};
  if (!claim.is_fresh()) return error_of(claim.answer());
  Result<StoredResult> done = work(claim.token());
  if (!done) {
    const bool is_kept = is_final && is_final(done.error());
    MAKEGOOD_TRY(claim.fail({.code = std::string(to_string(done.error().code)), .is_final = is_kept}));
    return std::move(done).error();
  }
  MAKEGOOD_TRY(claim.finish(*done));
  return Ran{.result = *std::move(done)};
}

Result<std::optional<KeyView>> Idempotency::look_up(const IdempotencyKey& key) {
  return parts_->with_store([&](IdempotencyStore& store) { return store.look_up(key); });
}

Result<> Idempotency::with_store(const std::function<Result<>(IdempotencyStore& store)>& act) {
  return parts_->with_store([&](IdempotencyStore& store) { return act(store); });
}

}  // namespace makegood

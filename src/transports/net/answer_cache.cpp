#include "transports/net/answer_cache.hpp"

#include <utility>

namespace makegood::net {
namespace {

std::size_t count_of(const Addresses& addresses) { return *addresses ? (*addresses)->size() : 0; }

}  // namespace

void AnswerCache::keep(const std::string& host, Addresses addresses, MonotonicTime until, MonotonicTime now) {
  const std::size_t count = count_of(addresses);
  if (count > addresses_max) return;
  forget(host);
  if (!has_room(count)) forget_expired(now);
  if (!has_room(count)) {
    kept_.clear();
    address_count_ = 0;
  }
  kept_.emplace(host, Kept{.addresses = std::move(addresses), .until = until});
  address_count_ += count;
}

Addresses AnswerCache::find(const std::string& host, MonotonicTime now) const {
  const auto found = kept_.find(host);
  return found == kept_.end() || found->second.until <= now ? nullptr : found->second.addresses;
}

bool AnswerCache::has_room(std::size_t addresses) const {
  return kept_.size() < names_max && address_count_ + addresses <= addresses_max;
}

void AnswerCache::forget(const std::string& host) {
  const auto found = kept_.find(host);
  if (found == kept_.end()) return;
  address_count_ -= count_of(found->second.addresses);
  kept_.erase(found);
}

void AnswerCache::forget_expired(MonotonicTime now) {
  for (auto one = kept_.begin(); one != kept_.end();) {
    const bool is_over = one->second.until <= now;
    if (is_over) address_count_ -= count_of(one->second.addresses);
    one = is_over ? kept_.erase(one) : std::next(one);
  }
}

}  // namespace makegood::net

#include "transports/http/secrets.hpp"

#include <fmt/format.h>

#include <utility>

namespace makegood::http {

Result<const SigningKey*> Secrets::signing_key(const std::string& reference, const Places& places) {
  const Secret secret = MAKEGOOD_TRY(read(reference, places));
  const auto found = keys_.find(reference);
  if (found != keys_.end() && found->second.text == secret.reveal()) return &found->second.key;
  auto key = SigningKey::from(secret.reveal());
  if (!key) return Error{key.error().code, fmt::format("{}: {}", reference, key.error().message)};
  keys_.erase(reference);
  return &keys_.try_emplace(reference, KeptKey{secret.reveal(), *std::move(key)}).first->second.key;
}

}  // namespace makegood::http

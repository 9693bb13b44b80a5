#include "base/saga_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/base64.hpp"
#include "base/digest.hpp"

namespace makegood {
namespace {

constexpr std::string_view version = "1";
constexpr std::size_t token_bytes_max = 1024;

/// Base 64 for addresses: without padding, and without signs that mean something there.
std::string to_base64_url(std::string_view bytes) {
  std::string text = to_base64(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::optional<std::string> from_base64_url(std::string_view text) {
  std::string whole(text);
  std::ranges::replace(whole, '-', '+');
  std::ranges::replace(whole, '_', '/');
  while (whole.size() % 4 != 0) whole += '=';
  return from_base64(whole);
}

/// Each part with its length, so that no two callbacks have the same text.
std::string signed_text(const SagaCallback& callback) {
  std::string text = fmt::format("makegood callback {}", version);
  for (const std::string_view part :
       std::array<std::string_view, 4>{callback.tenant_id, callback.execution, callback.step, callback.direction}) {
    text += fmt::format("\n{}:{}", part.size(), part);
  }
  return text + fmt::format("\n{}\n{}", callback.round, callback.attempt);
}

std::string signature_of(std::string_view key, const SagaCallback& callback) {
  return to_base64_url(hmac_sha256(key, signed_text(callback)));
}

/// In a time that does not tell where they differ.
bool is_same(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) difference |= static_cast<unsigned char>(left[i] ^ right[i]);
  return difference == 0;
}

std::string_view next_part(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('.'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::optional<std::uint32_t> number_from(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string whole;
  for (const char c : text) {
    whole += plain.contains(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return whole;
}

}  // namespace

std::string sign_callback(std::string_view key, const SagaCallback& callback) {
  return fmt::format("{}.{}.{}.{}.{}.{}", version, to_base64_url(callback.tenant_id), callback.direction,
                     callback.round, callback.attempt, signature_of(key, callback));
}

std::optional<SagaCallback> verify_callback(std::string_view key, std::string_view token, std::string_view execution,
                                            std::string_view step) {
  if (token.size() > token_bytes_max || next_part(token) != version) return std::nullopt;
  auto tenant_id = from_base64_url(next_part(token));
  std::string direction(next_part(token));
  const auto round = number_from(next_part(token));
  const auto attempt = number_from(next_part(token));
  if (!tenant_id || !round || !attempt) return std::nullopt;
  SagaCallback callback{.tenant_id = *std::move(tenant_id),
                        .execution = std::string(execution),
                        .step = std::string(step),
                        .direction = std::move(direction),
                        .round = *round,
                        .attempt = *attempt};
  if (!is_same(token, signature_of(key, callback))) return std::nullopt;
  return callback;
}

std::string callback_path(std::string_view key, const SagaCallback& callback) {
  return fmt::format("/api/saga/executions/{}/steps/{}/answer?token={}", escaped(callback.execution),
                     escaped(callback.step), sign_callback(key, callback));
}

}  // namespace makegood

#include "base/digest.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

// SHA-256 as FIPS 180-4 has it, written out: a library without deliveries over HTTP is linked without OpenSSL.
namespace makegood {
namespace {

using Word = std::uint32_t;
using State = std::array<Word, 8>;

constexpr std::size_t block_bytes = 64;
constexpr std::size_t length_bytes = 8;
constexpr std::size_t rounds = 64;

constexpr std::array<Word, rounds> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr State first_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constexpr Word small_sigma(Word x, int first, int second, int shift) {
  return std::rotr(x, first) ^ std::rotr(x, second) ^ (x >> shift);
}
constexpr Word big_sigma(Word x, int first, int second, int third) {
  return std::rotr(x, first) ^ std::rotr(x, second) ^ std::rotr(x, third);
}

/// A one behind it, zeros, and its length in bits, up to whole blocks.
std::string padded(std::string_view text) {
  std::string whole(text);
  whole += '\x80';
  while ((whole.size() + length_bytes) % block_bytes != 0) whole += '\0';
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) whole += static_cast<char>((bits >> shift) & 0xff);
  return whole;
}

std::array<Word, rounds> schedule_of(std::string_view block) {
  std::array<Word, rounds> words{};
  for (std::size_t i = 0; i < block_bytes; ++i) words[i / 4] = words[i / 4] << 8 | static_cast<unsigned char>(block[i]);
  for (std::size_t i = 16; i < rounds; ++i) {
    words[i] =
        words[i - 16] + small_sigma(words[i - 15], 7, 18, 3) + words[i - 7] + small_sigma(words[i - 2], 17, 19, 10);
  }
  return words;
}

void mix(State& state, std::string_view block) {
  const std::array<Word, rounds> words = schedule_of(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Word first = h + big_sigma(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + round_constants[i] + words[i];
    const Word second = big_sigma(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const State mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

State hash_of(std::string_view text) {
  State state = first_state;
  const std::string whole = padded(text);
  for (std::string_view left = whole; !left.empty(); left.remove_prefix(block_bytes)) mix(state, left);
  return state;
}

}  // namespace

std::string short_digest(std::string_view text) {
  const State state = hash_of(text);
  return fmt::format("{:08x}{:08x}", state[0], state[1]);
}

std::string sha256_digest(std::string_view text) { return fmt::format("{:08x}", fmt::join(hash_of(text), "")); }

}  // namespace makegood

// Both kinds are 48 bits of milliseconds and then random bits. Within one process they rise strictly: a new millisecond
// draws new random bits; in the same one (or when the clock went back) the last value is counted up by one.
#include "makegood/id.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <random>
#include <ranges>

#include "makegood/clock.hpp"

namespace makegood {
namespace {

constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::string_view hexadecimal = "0123456789abcdef";
constexpr std::uint64_t random_high_max = 0xFFFF;

/// 48 bits of time, then 16 and 64 random bits.
struct Bits {
  std::uint64_t milliseconds = 0;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

/// The same value plus one; when the random bits are used up, the next millisecond is borrowed.
void count_up(Bits& bits, std::uint64_t high_max, std::uint64_t low_max) {
  if (bits.low++ != low_max) return;
  bits.low = 0;
  if (bits.high++ != high_max) return;
  bits.high = 0;
  ++bits.milliseconds;
}

class Rising {
 public:
  Rising(std::uint64_t high_max, std::uint64_t low_max) : high_max_(high_max), low_max_(low_max) {}

  Bits next() {
    const auto now = static_cast<std::uint64_t>(to_milliseconds(system_clock().now()));
    const std::scoped_lock lock(mutex_);
    if (now > last_.milliseconds) {
      last_ = {now, random_() & high_max_, random_() & low_max_};
    } else {
      count_up(last_, high_max_, low_max_);
    }
    return last_;
  }

 private:
  // Constant after construction.
  const std::uint64_t high_max_;
  const std::uint64_t low_max_;
  // Guarded by mutex_.
  std::mutex mutex_;
  std::mt19937_64 random_{seed()};
  Bits last_;

  static std::uint64_t seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }
};

bool are_all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

void append_hexadecimal(std::string& text, std::uint64_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) text += hexadecimal[(value >> shift) & 0xF];
}

}  // namespace

std::string new_ulid() {
  static Rising rising(random_high_max, ~std::uint64_t{0});
  const Bits bits = rising.next();
  // 128 bits as 26 groups of five, from the right.
  std::uint64_t high = (bits.milliseconds << 16) | bits.high;
  std::uint64_t low = bits.low;
  std::string text(26, '0');
  for (char& digit : std::views::reverse(text)) {
    digit = crockford[low & 0x1F];
    low = (low >> 5) | (high << 59);
    high >>= 5;
  }
  return text;
}

std::string new_uuid7() {
  static Rising rising(0xFFF, 0x3FFF'FFFF'FFFF'FFFF);
  const Bits bits = rising.next();
  std::string text;
  text.reserve(36);
  append_hexadecimal(text, bits.milliseconds >> 16, 8);
  text += '-';
  append_hexadecimal(text, bits.milliseconds & 0xFFFF, 4);
  text += '-';
  append_hexadecimal(text, 0x7000 | bits.high, 4);
  text += '-';
  append_hexadecimal(text, 0x8000 | (bits.low >> 48), 4);
  text += '-';
  append_hexadecimal(text, bits.low & 0xFFFF'FFFF'FFFF, 12);
  return text;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) {
    if (text[dash] != '-') return false;
  }
  return std::ranges::count(text, '-') == 4 && are_all_of(text, "0123456789abcdefABCDEF-");
}

bool is_ulid(std::string_view text) {
  // The first digit is at most 7: 128 bits are two short of 26 groups of five.
  return text.size() == 26 && text.front() <= '7' &&
         are_all_of(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz");
}

}  // namespace makegood

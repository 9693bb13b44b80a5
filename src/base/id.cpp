// Both kinds are 48 bits of milliseconds and then random bits. Those of one source rise strictly: a new millisecond
// draws new random bits; in the same one (or when the clock went back) the last value is counted up by one.
#include "makegood/id.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <random>
#include <ranges>

#include "base/seed.hpp"

namespace makegood {
namespace {

constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::string_view hexadecimal = "0123456789abcdef";
constexpr std::uint64_t random_high_max = 0xFFFF;

bool are_all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

void append_hexadecimal(std::string& text, std::uint64_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) text += hexadecimal[(value >> shift) & 0xF];
}

}  // namespace

class Ids::Rising {
 public:
  /// 48 bits of time, then 16 and 64 random bits.
  struct Bits {
    std::uint64_t milliseconds = 0;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
  };

  Rising(const Clock& clock, std::uint64_t seed, std::uint64_t high_max, std::uint64_t low_max)
      : clock_(clock), high_max_(high_max), low_max_(low_max), random_(seed) {}

  Bits next() {
    const auto now = static_cast<std::uint64_t>(to_milliseconds(clock_.now()));
    const std::scoped_lock lock(mutex_);
    if (now > last_.milliseconds) {
      last_ = {now, random_() & high_max_, random_() & low_max_};
    } else {
      count_up();
    }
    return last_;
  }

 private:
  /// The same value plus one; when the random bits are used up, the next millisecond is borrowed.
  void count_up() {
    if (last_.low++ != low_max_) return;
    last_.low = 0;
    if (last_.high++ != high_max_) return;
    last_.high = 0;
    ++last_.milliseconds;
  }

  // Constant after construction.
  const Clock& clock_;
  const std::uint64_t high_max_;
  const std::uint64_t low_max_;
  // Guarded by mutex_.
  std::mutex mutex_;
  std::mt19937_64 random_;
  Bits last_;
};

Ids::Ids(const Clock& clock, std::uint64_t seed)
    : ulids_(std::make_unique<Rising>(clock, seed, random_high_max, ~std::uint64_t{0})),
      uuids_(std::make_unique<Rising>(clock, ~seed, 0xFFF, 0x3FFF'FFFF'FFFF'FFFF)) {}
Ids::~Ids() = default;

std::string Ids::new_ulid() {
  const Rising::Bits bits = ulids_->next();
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

std::string Ids::new_uuid7() {
  const Rising::Bits bits = uuids_->next();
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

Ids& process_ids() {
  // Never destroyed: a thread, or an object of the program that dies later, may still enqueue.
  alignas(Ids) static std::array<std::byte, sizeof(Ids)> place;
  static Ids& ids = *new (place.data()) Ids(system_clock(), seed_of_the_system());
  return ids;
}

std::string new_ulid() { return process_ids().new_ulid(); }
std::string new_uuid7() { return process_ids().new_uuid7(); }

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

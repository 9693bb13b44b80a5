#include "api/time_text.hpp"

#include <fmt/format.h>

#include <charconv>

namespace makegood::api {
namespace {

bool is_digit_of_time(char c) { return c >= '0' && c <= '9'; }

/// Takes characters from the front of a text, as long as they are what is expected.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  int digits(std::size_t count) {
    int number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (text_.empty() || !is_digit_of_time(text_.front())) {
        is_good_ = false;
        return 0;
      }
      number = number * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    return number;
  }

  /// One of these, or 0.
  char one_of(std::string_view allowed) {
    if (text_.empty() || allowed.find(text_.front()) == std::string_view::npos) return 0;
    const char found = text_.front();
    text_.remove_prefix(1);
    return found;
  }

  void expect(std::string_view allowed) { is_good_ = is_good_ && one_of(allowed) != 0; }

  /// Decimals of a second; what is beyond a microsecond is dropped.
  Duration decimals() {
    Duration::rep value = 0;
    std::size_t count = 0;
    for (; !text_.empty() && is_digit_of_time(text_.front()); text_.remove_prefix(1), ++count) {
      if (count < 6) value = value * 10 + (text_.front() - '0');
    }
    is_good_ = is_good_ && count > 0;
    for (; count < 6; ++count) value *= 10;
    return Duration(value);
  }

  bool is_through() const { return is_good_ && text_.empty(); }

 private:
  std::string_view text_;
  bool is_good_ = true;
};

bool is_in(int value, int low, int high) { return value >= low && value <= high; }

}  // namespace

std::string time_text(TimePoint time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::optional<TimePoint> time_from(std::string_view text) {
  using namespace std::chrono;
  TimeReader reader(text);
  const int year_number = reader.digits(4);
  reader.expect("-");
  const int month_number = reader.digits(2);
  reader.expect("-");
  const int day_number = reader.digits(2);
  reader.expect("Tt ");
  const int hour = reader.digits(2);
  reader.expect(":");
  const int minute = reader.digits(2);
  reader.expect(":");
  const int second = reader.digits(2);
  const Duration fraction = reader.one_of(".") != 0 ? reader.decimals() : Duration::zero();
  const char zone = reader.one_of("Zz+-");
  int offset = 0;
  if (zone == '+' || zone == '-') {
    const int hours_off = reader.digits(2);
    reader.expect(":");
    const int minutes_off = reader.digits(2);
    if (hours_off > 23 || minutes_off > 59) return std::nullopt;
    offset = (hours_off * 60 + minutes_off) * (zone == '+' ? 1 : -1);
  }
  const year_month_day date{year(year_number), month(static_cast<unsigned>(month_number)),
                            day(static_cast<unsigned>(day_number))};
  // A leap second is counted as the one before it.
  if (zone == 0 || !reader.is_through() || !date.ok() || year_number < 1970) return std::nullopt;
  if (!is_in(hour, 0, 23) || !is_in(minute, 0, 59) || !is_in(second, 0, 60)) return std::nullopt;
  return TimePoint(sys_days(date)) + hours(hour) + minutes(minute - offset) + seconds(std::min(second, 59)) + fraction;
}

}  // namespace makegood::api

#include "stores/postgres/rows.hpp"

#include <libpq-fe.h>

#include <charconv>

#include "makegood/spi/assert.hpp"
#include "stores/postgres/parameters.hpp"

namespace makegood::postgres {

void ClearResult::operator()(pg_result* result) const noexcept { PQclear(result); }

Rows::Rows(ResultPtr result) : result_(std::move(result)), count_(PQntuples(result_.get())) {}

int Rows::column_count() const { return PQnfields(result_.get()); }

std::string_view Rows::command() const { return PQcmdStatus(result_.get()); }

std::size_t Rows::affected() const {
  const std::string_view digits = PQcmdTuples(result_.get());
  std::size_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

bool Rows::is_null(int column) const { return PQgetisnull(result_.get(), row_, column) != 0; }

std::int64_t Rows::integer(int column) const {
  if (is_null(column)) return 0;
  const char* bytes = PQgetvalue(result_.get(), row_, column);
  const int length = PQgetlength(result_.get(), row_, column);
  MAKEGOOD_ASSERT(length == 2 || length == 4 || length == 8);
  // The first byte has the sign.
  auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<signed char>(bytes[0])));
  for (int index = 1; index < length; ++index) value = (value << 8) | static_cast<unsigned char>(bytes[index]);
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> Rows::integer_or_null(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

bool Rows::boolean(int column) const { return !is_null(column) && *PQgetvalue(result_.get(), row_, column) != 0; }

TimePoint Rows::time(int column) const { return from_postgres(integer(column)); }

std::optional<TimePoint> Rows::time_or_null(int column) const {
  if (is_null(column)) return std::nullopt;
  return time(column);
}

std::string_view Rows::text(int column) const {
  if (is_null(column)) return {};
  return {PQgetvalue(result_.get(), row_, column), static_cast<std::size_t>(PQgetlength(result_.get(), row_, column))};
}

}  // namespace makegood::postgres

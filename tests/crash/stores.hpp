// The stores that crash tests run on, and a fresh database of a test's own on one of them.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <vector>

#include "tests/crash/place.hpp"
#include "tests/support/postgres_schema.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::crash {

enum class Kind { sqlite, postgres };

inline std::string to_string(Kind kind) { return kind == Kind::sqlite ? "sqlite" : "postgres"; }

inline std::ostream& operator<<(std::ostream& out, Kind kind) { return out << to_string(kind); }

inline std::vector<Kind> stores() {
  if (testing_support::postgres_url().empty()) return {Kind::sqlite};
  return {Kind::sqlite, Kind::postgres};
}

inline std::string name_of_store(const testing::TestParamInfo<Kind>& info) { return to_string(info.param); }

/// Gone with the object.
class FreshPlace {
 public:
  explicit FreshPlace(Kind kind) {
    if (kind == Kind::postgres) schema_.emplace();
    place_.folder = place_.disk = folder_.path();
    if (schema_) place_.server = schema_->url_within();
  }
  const Place& place() const { return place_; }

 private:
  testing_support::TemporaryFolder folder_;
  std::optional<testing_support::PostgresSchema> schema_;
  Place place_;
};

}  // namespace makegood::crash

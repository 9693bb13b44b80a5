// What would change, told field by field.
#pragma once

#include <string>
#include <vector>

#include "api/json_out.hpp"
#include "makegood/spi/routing.hpp"

namespace makegood::api {

struct FieldChange {
  std::string name;  ///< `retry.attempts_max`.
  std::string from;  ///< JSON.
  std::string to;    ///< JSON.
};

struct Change {
  enum class Kind { add, change, remove };
  enum class What { destination, route };
  Kind kind = Kind::add;
  What what = What::destination;
  std::string name;
  std::vector<FieldChange> fields = {};
};
/// From one state of the registry to another: destinations first. One that is added tells what is not its default.
std::vector<Change> difference(const Routing& from, const Routing& to);
void put_change(Writer& writer, const Change& change);

}  // namespace makegood::api

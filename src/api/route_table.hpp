// The table of routes: which path leads to which handler, and who may.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/api.hpp"
#include "api/desk.hpp"

namespace makegood::api {

/// A call that has found its route.
struct Question {
  const Call& call;
  Desk& desk;
  std::map<std::string, std::string, std::less<>> path = {};  ///< The parameters, decoded.

  const std::string& outbox() const { return path.at("outbox"); }
  const std::string& destination() const { return path.at("destination"); }
};

using Handler = Result<Answer> (*)(const Question& question);

struct TableRow {
  std::string_view method;
  std::string_view path;
  Role role = Role::viewer;
  Handler handler = nullptr;  ///< Null: it is the server's own, and only a server has it.
  bool reads_query = false;   ///< Otherwise a query is a mistake.
};
std::span<const TableRow> route_table();

struct Found {
  const TableRow* row = nullptr;
  std::map<std::string, std::string, std::less<>> parameters = {};
};
struct NoSuchPath {
  bool is_bad_escape = false;
};
struct OtherMethods {
  std::vector<std::string> allowed = {};
};
std::variant<Found, NoSuchPath, OtherMethods> find_route(std::string_view method, std::string_view path);

}  // namespace makegood::api

// One row per operation: who may, what it reads, what it answers, and one sentence about it. Routes and the OpenAPI
// document are made of these rows. A row stands in the file that has its handler.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/api.hpp"
#include "api/connections.hpp"
#include "api/fields.hpp"
#include "api/json_out.hpp"

namespace makegood::api {

/// A call that has found its operation.
struct RoutedCall {
  const Call& call;
  Connections& connections;
  std::map<std::string, std::string, std::less<>> path = {};  ///< The parameters, decoded.

  const std::string& outbox() const { return path.at("outbox"); }
  const std::string& destination() const { return path.at("destination"); }
};

using Handler = Result<Answer> (*)(const RoutedCall& routed);

/// What takes the fields of a query or a body; over nothing, it describes them.
using Reads = void (*)(Fields& fields);
template <auto Read>
void reads(Fields& fields) {
  static_cast<void>(Read(fields));
}

/// What writes the members of an answer; over an empty value, it describes them.
using Writes = void (*)(Writer& writer);
template <class Value>
void write_empty(Writer& writer, void (*put)(Writer&, const Value&)) {
  put(writer, Value{});
}
template <auto Put>
void writes(Writer& writer) {
  write_empty(writer, Put);
}

/// A header that an operation reads beside those of all.
struct HeaderParameter {
  std::string_view name = {};
  std::string_view says = {};
};

struct Body {
  std::string_view schema = {};  ///< Names of its description; two: `One|Other`.
  Reads reads = nullptr;         ///< Null: there is no body.
  std::array<std::string_view, 2> examples = {};
};

/// An answer that is 2xx; those that are not follow from the row, and from `also`.
struct Reply {
  int status = 0;
  std::string_view says = {};
  std::string_view schema = {};  ///< Names of its description, as of a body; what writes it describes the last.
  Writes writes = nullptr;
  std::string_view content_type = "application/json";
};

struct Operation {
  std::string_view id;
  std::string_view method;
  std::string_view path;  ///< With its parameters in braces.
  Role role = Role::viewer;
  Handler handler = nullptr;  ///< Null: it is the server's own, and only a server has it.
  std::string_view tag;
  std::string_view summary;
  std::string_view description = {};
  Reads query = nullptr;  ///< Null: a query is a mistake.
  std::array<HeaderParameter, 2> headers = {};
  Body body = {};
  std::array<Reply, 2> replies = {};
  std::array<int, 3> also = {};  ///< Statuses of problems that the row does not tell.
};

/// What becomes of a request to a lane's owner.
struct Asked {
  std::optional<std::int64_t> request = {};
  bool is_done = false;  ///< Otherwise it is open.
};
void put_asked(Writer& writer, const Asked& asked);

inline constexpr std::string_view was_done = "Carried out.";
inline constexpr std::string_view is_open =
    "Asked for, and not carried out yet; `…/requests/{request}` tells what becomes of it.";
inline constexpr std::array<Reply, 2> asked_replies = {
    {{200, was_done, "RequestAnswer", writes<put_asked>}, {202, is_open, "RequestAnswer", writes<put_asked>}}};

/// What a viewer may see.
constexpr Operation shows(std::string_view id, std::string_view path, std::string_view tag, Handler handler,
                          std::string_view summary, Reply reply, Reads query = nullptr) {
  return {.id = id,
          .method = "GET",
          .path = path,
          .handler = handler,
          .tag = tag,
          .summary = summary,
          .query = query,
          .replies = {reply}};
}
/// What an operator asks of a lane's owner.
constexpr Operation asks(std::string_view id, std::string_view path, std::string_view tag, Handler handler,
                         std::string_view summary, Body body) {
  return {.id = id,
          .method = "POST",
          .path = path,
          .role = Role::operate,
          .handler = handler,
          .tag = tag,
          .summary = summary,
          .body = body,
          .replies = asked_replies};
}

using Operations = std::span<const Operation>;
/// All of them.
const std::vector<const Operation*>& operations();

// By the file that has them.
Operations status_operations();
Operations outbox_operations();
Operations message_operations();
Operations enqueue_operations();
Operations lane_operations();
Operations request_operations();
Operations destination_operations();
Operations test_operations();
Operations route_operations();
Operations apply_operations();
Operations dead_operations();
Operations idempotency_operations();
Operations job_operations();
Operations source_operations();
Operations saga_operations();
Operations saga_start_operations();
Operations saga_request_operations();
Operations saga_key_operations();
Operations saga_statistics_operations();
Operations saga_bulk_operations();
Operations saga_failure_operations();
Operations saga_answer_operations();
Operations saga_definition_operations();
Operations process_operations();

}  // namespace makegood::api

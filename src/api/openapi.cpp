// The OpenAPI document: what is said of all operations (openapi_head.yaml), the table of operations, what calls and
// answers say as the functions that read and write them describe it, and the rest (openapi_tail.yaml).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/operation.hpp"
#include "api/yaml_out.hpp"
#include "makegood_api_sql.hpp"

namespace makegood::api {
namespace {

constexpr auto role_names = std::to_array<std::string_view>({"anyone", "metrics", "producer", "viewer", "operate"});

struct PathParameter {
  std::string_view name;
  std::string_view says;
  std::string_view schema;
  std::string_view example;  ///< JSON.
};
constexpr std::string_view any_name = R"({"type":"string","minLength":1})";
constexpr std::string_view any_number = R"({"type":"integer","minimum":1})";
constexpr auto path_parameters = std::to_array<PathParameter>({
    {"outbox", "", any_name, R"("makegood_outbox")"},
    {"destination", "Its name, percent-encoded.", any_name, R"("http:billing")"},
    {"source", "Its name, percent-encoded.", any_name, R"("kafka:orders")"},
    {"execution", "Its id, percent-encoded.", any_name, R"("order-7")"},
    {"step", "Its name.", any_name, R"("payment")"},
    {"definition", "The name of a saga.", any_name, R"("orderProcess")"},
    {"message", "Its number, or its event id.", any_name, R"("12")"},
    {"sequence", "", any_number, "12"},
    {"request", "", any_number, ""},
    {"job", "", any_number, ""},
});

/// What a problem with this status is called in the document.
struct Problem {
  int status;
  std::string_view name;
};
constexpr auto problems = std::to_array<Problem>({{400, "Invalid"},
                                                  {401, "NoToken"},
                                                  {403, "Forbidden"},
                                                  {404, "NotFound"},
                                                  {409, "Conflict"},
                                                  {413, "TooLarge"},
                                                  {415, "NotJson"},
                                                  {422, "AgainstItsSchema"},
                                                  {500, "Broken"},
                                                  {503, "Unavailable"},
                                                  {507, "Full"}});

bool is_open_to_all(const Operation& operation) { return operation.path == "/healthz" || operation.path == "/readyz"; }

std::set<int> problems_of(const Operation& operation) {
  std::set<int> statuses(operation.also.begin(), operation.also.end());
  if (!is_open_to_all(operation)) statuses.insert({401, 403, 503});
  if (operation.path.starts_with("/api/")) statuses.insert(400);
  if (operation.path.starts_with("/api/outboxes") || operation.path.starts_with("/api/saga")) statuses.insert(500);
  if (operation.path.contains('{')) statuses.insert(404);
  if (operation.body.reads != nullptr) statuses.insert({413, 415});
  const bool is_asked_of_the_owner = operation.replies.front().schema == asked_replies.front().schema;
  if (is_asked_of_the_owner) statuses.insert({409, 507});
  statuses.erase(0);
  return statuses;
}

std::string parameter(std::string_view name, std::string_view in, std::string_view says, std::string_view schema,
                      std::string_view example = {}) {
  JsonObject object;
  object.text("name", name).text("in", in);
  if (in == "path") object.json("required", "true");
  object.says(says).json("schema", schema);
  if (!example.empty()) object.json("example", example);
  return object.str();
}

/// Run over nothing, a reader tells what it reads.
Sketch sketch_of(Reads reads, Schemas& named) {
  Sketch sketch(named);
  Mistakes none;
  Fields nothing = Fields::of_nothing(sketch, none);
  reads(nothing);
  return sketch;
}

std::vector<std::string> parameters_of(const Operation& operation, Schemas& named) {
  std::vector<std::string> list;
  for (const PathParameter& known : path_parameters) {
    if (!operation.path.contains(fmt::format("{{{}}}", known.name))) continue;
    list.push_back(parameter(known.name, "path", known.says, known.schema, known.example));
  }
  if (operation.query != nullptr) {
    for (const Sketch::Member& member : sketch_of(operation.query, named).members) {
      list.push_back(parameter(member.name, "query", member.says, member.schema.str()));
    }
  }
  for (const HeaderParameter& header : operation.headers) {
    if (header.name.empty()) continue;
    const bool is_key = header.name == "Idempotency-Key";
    list.push_back(parameter(header.name, "header", header.says,
                             is_key ? R"({"type":"string","minLength":1,"maxLength":128})" : R"({"type":"string"})"));
  }
  return list;
}

/// `One`, or one of several: `One|Other`.
std::string schema_for(std::string_view names) {
  std::vector<std::string> schemas;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('|'), names.size());
    schemas.push_back(named_schema(names.substr(0, end)).str());
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  if (schemas.empty()) return R"({"type":"string"})";
  return schemas.size() == 1 ? schemas.front() : JsonObject().json("oneOf", json_list(schemas)).str();
}

std::string_view last_name(std::string_view names) { return names.substr(names.find('|') + 1); }

std::string content(std::string_view type, const JsonObject& inside) {
  return JsonObject().json(type, inside.str()).str();
}

std::string body_of(const Body& body, Schemas& named) {
  const Sketch sketch = sketch_of(body.reads, named);
  named.insert_or_assign(std::string(last_name(body.schema)), sketch.schema().str());
  JsonObject examples;
  for (const std::string_view example : body.examples) {
    if (example.empty()) continue;
    examples.json(examples.empty() ? "one" : "another", JsonObject().json("value", example).str());
  }
  JsonObject inside;
  inside.json("schema", schema_for(body.schema));
  if (!examples.empty()) inside.json("examples", examples.str());
  return JsonObject().json("required", "true").json("content", content("application/json", inside)).str();
}

std::string responses_of(const Operation& operation, Schemas& named) {
  JsonObject responses;
  for (const Reply& reply : operation.replies) {
    if (reply.status == 0) continue;
    if (reply.writes != nullptr) keep_schema(named, last_name(reply.schema), reply.writes);
    const JsonObject inside = JsonObject().json("schema", schema_for(reply.schema));
    responses.json(fmt::format("{}", reply.status),
                   JsonObject().says(reply.says).json("content", content(reply.content_type, inside)).str());
  }
  const std::set<int> statuses = problems_of(operation);
  for (const Problem& problem : problems) {
    if (!statuses.contains(problem.status)) continue;
    responses.json(fmt::format("{}", problem.status),
                   JsonObject().text("$ref", fmt::format("#/components/responses/{}", problem.name)).str());
  }
  return responses.str();
}

JsonObject described(const Operation& operation, Schemas& named) {
  JsonObject object;
  object.text("operationId", operation.id);
  object.json("tags", json_list(std::array{quoted(operation.tag)}));
  object.text("x-role", role_names.at(static_cast<std::size_t>(operation.role)));
  object.text("summary", operation.summary).says(operation.description);
  if (is_open_to_all(operation) || operation.role == Role::anyone) object.json("security", "[]");
  if (const auto list = parameters_of(operation, named); !list.empty()) object.json("parameters", json_list(list));
  if (operation.body.reads != nullptr) object.json("requestBody", body_of(operation.body, named));
  object.json("responses", responses_of(operation, named));
  return object;
}

std::string lower(std::string_view method) {
  std::string text(method);
  std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(c | 32); });
  return text;
}

std::string made_document() {
  Schemas named;
  std::vector<std::string> paths;
  std::map<std::string, JsonObject, std::less<>> methods;
  for (const Operation* operation : operations()) {
    const std::string path(operation->path);
    if (!methods.contains(path)) paths.push_back(path);
    methods[path].json(lower(operation->method), described(*operation, named).str());
  }
  JsonObject all_paths;
  for (const std::string& path : paths) all_paths.json(path, methods[path].str());
  JsonObject schemas;
  for (const auto& [name, schema] : named) schemas.json(name, schema);
  return fmt::format("{}\npaths:\n{}\n{}{}", documents::openapi_head, to_yaml(all_paths.str(), 2),
                     documents::openapi_tail, to_yaml(schemas.str(), 4));
}

}  // namespace

std::string_view openapi() {
  static const std::string document = made_document();
  return document;
}

}  // namespace makegood::api

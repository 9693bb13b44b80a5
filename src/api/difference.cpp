#include "api/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/destination_document.hpp"
#include "api/registry_of.hpp"
#include "api/route_documents.hpp"

namespace makegood::api {
namespace {

using json::Value;

std::string json_of(const Value* value) {
  if (value == nullptr) return "null";
  rapidjson::StringBuffer text;
  Writer writer(text);
  value->Accept(writer);
  return {text.GetString(), text.GetSize()};
}

const Value* member_of(const Value* object, const std::string& name) {
  return object == nullptr ? nullptr : json::member(*object, name.c_str());
}

std::set<std::string> names_in(const Value* from, const Value* to) {
  std::set<std::string> names;
  for (const Value* object : {from, to}) {
    if (object == nullptr) continue;
    for (const auto& member : object->GetObject()) names.insert(json::text_of(member.name));
  }
  return names;
}

/// Objects are looked into; anything else is compared as a whole.
void compare(const Value* from, const Value* to, const std::string& name, std::vector<FieldChange>& changes) {
  const auto is_object_or_none = [](const Value* value) { return value == nullptr || value->IsObject(); };
  if (is_object_or_none(from) && is_object_or_none(to)) {
    for (const std::string& member : names_in(from, to)) {
      const std::string path = name.empty() ? member : fmt::format("{}.{}", name, member);
      compare(member_of(from, member), member_of(to, member), path, changes);
    }
    return;
  }
  FieldChange change{.name = name, .from = json_of(from), .to = json_of(to)};
  if (change.from != change.to) changes.push_back(std::move(change));
}

std::vector<FieldChange> fields_between(const Destination& from, const Destination& to) {
  const auto parsed = [](const Destination& destination) {
    rapidjson::Document document;
    const std::string text = document_of(destination);
    document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
    return document;
  };
  const rapidjson::Document before = parsed(from);
  const rapidjson::Document after = parsed(to);
  std::vector<FieldChange> changes;
  compare(&before, &after, {}, changes);
  return changes;
}

std::string name_of(const Route& route) { return fmt::format("{} -> {}", route.pattern, route.destination); }

void add_destinations(const Routing& from, const Routing& to, std::vector<Change>& changes) {
  for (const Destination& wanted : to.destinations) {
    const Destination* present = find_destination(from, wanted.name);
    const Change::Kind kind = present == nullptr ? Change::Kind::add : Change::Kind::change;
    const Destination usual{.name = wanted.name};
    auto fields = fields_between(present == nullptr ? usual : *present, wanted);
    if (present != nullptr && fields.empty()) continue;
    changes.push_back({kind, Change::What::destination, wanted.name, std::move(fields)});
  }
  for (const Destination& present : from.destinations) {
    if (find_destination(to, present.name) != nullptr) continue;
    changes.push_back({Change::Kind::remove, Change::What::destination, present.name});
  }
}

std::string_view to_text(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::add:
      return "add";
    case Change::Kind::change:
      return "change";
    case Change::Kind::remove:
      return "remove";
  }
  std::unreachable();
}

}  // namespace

std::vector<Change> difference(const Routing& from, const Routing& to) {
  std::vector<Change> changes;
  add_destinations(from, to, changes);
  for (const Route& route : without(to.routes, from.routes)) {
    changes.push_back({Change::Kind::add, Change::What::route, name_of(route)});
  }
  for (const Route& route : without(from.routes, to.routes)) {
    changes.push_back({Change::Kind::remove, Change::What::route, name_of(route)});
  }
  return changes;
}

void put_change(Writer& writer, const Change& change) {
  put_one_of(writer, "kind", to_text(change.kind), {"add", "change", "remove"});
  put_one_of(writer, "what", change.what == Change::What::destination ? "destination" : "route",
             {"destination", "route"});
  put(writer, "name", change.name, "As in `http:billing`, or `order.* -> http:billing`.");
  put_objects(writer, "fields", "FieldChange", change.fields, [](Writer& to, const FieldChange& field) {
    put(to, "name", field.name, "As in `retry.attempts_max`.");
    put_json(to, "from", field.from, {}, "Any JSON; null: it was not there.");
    put_json(to, "to", field.to, {}, "Any JSON; null: it is not there any more.");
  });
}

}  // namespace makegood::api

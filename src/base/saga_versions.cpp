#include "base/saga_versions.hpp"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "base/new_row.hpp"
#include "base/utf8.hpp"

namespace makegood {

Result<> check_definition_row(const SagaDefinitionRow& row) {
  MAKEGOOD_TRY(check_message({.topic = row.name, .payload = "{}"}, {}));
  if (row.version < 0) return Error{Errc::invalid, "A version is 1 or more; leave it out for the next one."};
  if (is_text(row.document) && is_text(row.source)) return {};
  return Error{Errc::invalid, "A definition has to be UTF-8 without NUL."};
}

Result<DefinitionPlace> place_definition(const SagaDefinitionRow& wanted,
                                         const std::optional<SagaDefinitionRow>& newest,
                                         const std::optional<SagaDefinitionRow>& there) {
  const std::int64_t next = newest ? newest->version + 1 : 1;
  if (wanted.version == 0) {
    const bool is_there = newest && newest->document == wanted.document;
    return is_there ? DefinitionPlace{.version = newest->version} : DefinitionPlace{.version = next, .is_new = true};
  }
  if (there && there->document == wanted.document) return DefinitionPlace{.version = there->version};
  if (there) {
    return Error{Errc::conflict,
                 fmt::format("Version {} of {} is there with another document; a version never changes.",
                             wanted.version, wanted.name)};
  }
  if (wanted.version == next) return DefinitionPlace{.version = next, .is_new = true};
  return Error{Errc::invalid, fmt::format("The next version of {} is {}, not {}.", wanted.name, next, wanted.version)};
}

NewMessage define_request(std::string_view name, std::int64_t version) {
  rapidjson::StringBuffer json;
  rapidjson::Writer<rapidjson::StringBuffer> writer(json);
  writer.StartObject();
  writer.Key("name");
  writer.String(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  writer.Key("version");
  writer.Int64(version);
  writer.EndObject();
  return {.topic = std::string(saga_define_topic), .payload = {json.GetString(), json.GetSize()}};
}

}  // namespace makegood

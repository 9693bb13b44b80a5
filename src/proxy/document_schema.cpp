// The form of a proxy's document: its JSON Schema and its reference page, both made from the descriptions.
#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>

#include <iterator>

#include "api/sketch.hpp"
#include "base/duration_text.hpp"
#include "proxy/document.hpp"

namespace makegood::proxy {
namespace {

using api::JsonObject;
using api::Schema;

struct Line {
  std::string name;
  Schema schema;
  std::string form;
  std::string absent;
  std::string says;
};

class Collector {
 public:
  void operator()(std::string_view name, const std::string& text, const About& about) {
    add(name, Schema("string"), "a text", text.empty() ? "none" : "`" + text + "`", about);
  }
  void operator()(std::string_view name, bool flag, const About& about) {
    add(name, Schema("boolean"), "true or false", flag ? "true" : "false", about);
  }
  void operator()(std::string_view name, std::size_t number, const About& about) {
    const Schema schema = Schema("integer").number("minimum", about.limits.min).number("maximum", about.limits.max);
    add(name, schema, "a whole number", fmt::format("{}", number), about);
  }
  void operator()(std::string_view name, Duration duration, const About& about) {
    add(name, Schema().json("type", R"(["string","integer"])"), "a duration", format_duration(duration), about);
  }
  void operator()(std::string_view name, const std::vector<std::string>& texts, const About& about) {
    add(name, Schema("array").json("items", Schema("string").str()), "a list of texts",
        texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", ")), about);
  }
  void choice(std::string_view name, auto chosen, Words words, const About& about) {
    add(name, Schema("string").texts("enum", words), fmt::format("`{}`", fmt::join(words, "`, `")),
        std::string(words[static_cast<std::size_t>(chosen)]), about);
  }
  void add(std::string_view name, const Schema& schema, std::string_view form, std::string absent, const About& about) {
    lines.push_back({std::string(name), schema, std::string(form), std::move(absent), std::string(about.says)});
  }

  std::vector<Line> lines = {};
};

template <class Settings>
Collector collected() {
  Collector collector;
  const Settings settings;
  describe(settings, collector);
  return collector;
}

Schema reference_to(std::string_view name) { return Schema().text("$ref", fmt::format("#/definitions/{}", name)); }

Collector of_route() {
  Collector route = collected<Route>();
  route.add("principal", reference_to("principal"), "[principal](#principal)", "that of the document",
            {"Whose its keys are."});
  route.add("answers", Schema("object").json("additionalProperties", Schema("string").texts("enum", fate_words).str()),
            "`store`, `release`, `hold` by status, `timeout`, `cut` or `crash`", "the usual table",
            {"What an answer, or none, means for the key."});
  return route;
}

Collector of_document() {
  Collector document = collected<ProxyOptions>();
  document.add("principal", reference_to("principal"), "[principal](#principal)", "none is assumed",
               {"Of routes that name none."});
  document.add("routes", Schema("array").json("items", reference_to("route").str()), "a list of [routes](#a-route)",
               "none", {"What is not in it is passed on without a key."});
  return document;
}

std::string object_schema(const Collector& collector) {
  JsonObject properties;
  for (const Line& line : collector.lines) {
    Schema schema = line.schema;
    properties.json(line.name, schema.says(line.says).str());
  }
  return Schema("object").json("properties", properties.str()).json("additionalProperties", "false").str();
}

std::string wrapped(std::string_view name, const std::string& schema) {
  return Schema("object")
      .json("properties", JsonObject().json(name, schema).str())
      .json("additionalProperties", "false")
      .str();
}

std::string principal_schema() {
  const std::array forms = {Schema().json("enum", R"(["none"])").str(), object_schema(collected<CredentialHeaders>()),
                            wrapped("jwt", object_schema(collected<JwtSubject>())),
                            wrapped("gateway", object_schema(collected<GatewayHeader>()))};
  return Schema().json("oneOf", api::json_list(forms)).str();
}

std::string table(std::string_view title, std::string_view sentence, const Collector& collector) {
  std::string text = fmt::format("\n## {}\n\n{}\n\n| field | form | default | |\n|---|---|---|---|\n", title, sentence);
  for (const Line& line : collector.lines) {
    fmt::format_to(std::back_inserter(text), "| `{}` | {} | {} | {} |\n", line.name, line.form, line.absent, line.says);
  }
  return text;
}

}  // namespace

std::string document_schema() {
  const std::string definitions =
      JsonObject().json("route", object_schema(of_route())).json("principal", principal_schema()).str();
  std::string whole = object_schema(of_document());
  whole.insert(1, fmt::format(R"("$schema":"http://json-schema.org/draft-04/schema#","definitions":{},)", definitions));
  rapidjson::Document document;
  document.Parse(whole.data(), whole.size());
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  document.Accept(writer);
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

std::string document_page() {
  return "# The document of a proxy\n\nMade by `tests/integration/cli/reference_test.py --write` from `makegood proxy "
         "--describe`. How it is used: [the proxy](../proxy.md).\n" +
         table("The document", "Of `makegood proxy --routes FILE`; flags win over it.", of_document()) +
         table("A route", "The first one that fits a request's path and method counts.", of_route()) +
         "\n## principal\n\n`none`, or one of the following three.\n" +
         table("principal: headers", "A keyed hash of credentials.", collected<CredentialHeaders>()) +
         table("principal: jwt", "Below `jwt:`. The subject of a verified token.", collected<JwtSubject>()) +
         table("principal: gateway", "Below `gateway:`. Whom a trusted gateway names.", collected<GatewayHeader>());
}

}  // namespace makegood::proxy

#include "api/saga_schema.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>

#include <array>
#include <concepts>
#include <map>
#include <span>

#include "api/saga_document.hpp"
#include "api/sketch.hpp"
#include "base/duration_text.hpp"
#include "base/saga_check.hpp"
#include "base/saga_settings.hpp"

namespace makegood::api {
namespace {

Schema definition_of(std::string_view name) { return Schema().text("$ref", fmt::format("#/definitions/{}", name)); }

struct SagaField {
  std::string name;
  Schema schema;
  std::string form;    ///< For people.
  std::string absent;  ///< Its default; empty: there is none.
  std::string says;
  bool is_required = false;
};
using SagaFields = std::vector<SagaField>;

/// Puts down each field that a description names; the values are the defaults.
class SagaFieldCollector {
 public:
  explicit SagaFieldCollector(SagaFields& fields, bool is_in_retry = false)
      : fields_(fields), is_in_retry_(is_in_retry) {}

  void operator()(std::string_view name, const std::string& /*text*/, const About& about) {
    const bool is_required = name == "name";
    add(name, Schema("string"), "a text", is_required ? "" : "none", about.says, is_required);
  }
  void operator()(std::string_view name, bool flag, const About& about) {
    add(name, Schema("boolean"), "true or false", flag ? "true" : "false", about.says);
  }
  void operator()(std::string_view name, std::uint32_t number, const About& about) {
    add(name, limited("integer", about), "a whole number", fmt::format("{}", number), about.says);
  }
  void operator()(std::string_view name, double number, const About& about) {
    add(name, limited("number", about), "a number", fmt::format("{}", number), about.says);
  }
  void operator()(std::string_view name, Duration duration, const About& about) {
    add(name, definition_of("duration"), "a duration", format_duration(duration), about.says);
    if (is_in_retry_) add_milliseconds(name, limited("integer", about));
  }
  void operator()(std::string_view name, const std::vector<Duration>& /*list*/, const About& about) {
    add(name, Schema("array").json("items", definition_of("duration").str()), "a list of durations", "none",
        about.says);
    add_milliseconds(name, Schema("array").json("items", limited("integer", about).str()));
  }
  void choice(std::string_view name, auto chosen, Words words, const About& about) {
    add(name, Schema("string").texts("enum", words), fmt::format("`{}`", fmt::join(words, "`, `")),
        std::string(words[static_cast<std::size_t>(chosen)]), about.says);
  }
  void json(std::string_view name, const std::string& /*text*/, const About& about) {
    add(name, Schema(), "JSON with `${…}`", "none", about.says);
  }
  void condition(std::string_view name, const std::string& /*text*/, const About& about) {
    add(name, Schema().json("type", R"(["string","boolean"])"), "a condition", "none", about.says);
  }
  void within(std::string_view group, std::string_view name, const std::string& /*text*/, const About& about) {
    const std::string properties = JsonObject().json(name, Schema("string").says(about.says).str()).str();
    add(group, Schema("object").json("properties", properties).json("additionalProperties", "false"),
        fmt::format("`{{{}: TEXT}}`", name), "none", about.says);
  }
  void group(std::string_view name, const RetryPolicy& /*retry*/) {
    add(name, definition_of("retry"), "[retry](#retry)", "its defaults", "How often and how fast it is tried again.");
  }
  void maybe(std::string_view name, const std::optional<SagaApproval>& /*approval*/, const About& about) {
    add(name, definition_of("approval"), "[approval](#approval)", "none", about.says);
  }
  void maybe(std::string_view name, const std::optional<SagaForEach>& /*for_each*/, const About& about) {
    add(name, definition_of("for_each"), "[for each](#for-each)", "none", about.says);
  }
  void call(std::string_view name, const SagaCall& /*call*/, const About& about) {
    add(name, definition_of("call"), "[a call](#calls)", "", about.says, true);
  }
  void call(std::string_view name, const std::optional<SagaCall>& /*call*/, const About& about) {
    add(name, definition_of("call"), "[a call](#calls)", "none", about.says);
  }
  void rules(std::string_view name, const std::vector<FailureRule>& /*rules*/, const About& about) {
    add(name, map_of(definition_of("rule")), "[rules](#rules) by code", "none", about.says);
  }
  void outcomes(std::string_view name, const auto& /*outcomes*/, const About& about) {
    add(name, map_of(Schema("string").texts("enum", outcome_words)),
        fmt::format("`{}` by code", fmt::join(outcome_words, "`, `")), "none", about.says);
  }
  void add(const ShortForm& form, const Schema& schema, bool is_required = false) {
    add(form.name, schema, form.form, "none", form.says, is_required);
  }

 private:
  void add(std::string_view name, const Schema& schema, std::string_view form, std::string_view absent,
           std::string_view says, bool is_required = false) {
    fields_.push_back(
        {std::string(name), schema, std::string(form), std::string(absent), std::string(says), is_required});
  }
  void add_milliseconds(std::string_view name, const Schema& schema) {
    add(fmt::format("{}_ms", name), schema, "milliseconds", "none",
        fmt::format("The same as `{}`, as destinations have it.", name));
  }
  static Schema limited(std::string_view type, const About& about) {
    return Schema(type).number("minimum", about.limits.min).number("maximum", about.limits.max);
  }
  static Schema map_of(const Schema& values) { return Schema("object").json("additionalProperties", values.str()); }

  SagaFields& fields_;
  const bool is_in_retry_;
};

template <class Settings>
SagaFields fields_of(bool is_in_retry = false) {
  SagaFields fields;
  SagaFieldCollector collector(fields, is_in_retry);
  const Settings defaults = {};
  describe(defaults, collector);
  return fields;
}

SagaFields retry_fields() {
  SagaFields fields;
  SagaFieldCollector collector(fields, true);
  const RetryPolicy defaults = SagaStep{}.retry;
  describe(defaults, collector);
  return fields;
}

SagaFields saga_fields() {
  SagaFields fields = fields_of<SagaDefinition>();
  SagaFieldCollector collector(fields);
  collector.add(active_form, definition_of("duration"));
  collector.add(chain_form, Schema("string"));
  collector.add(version_form, Schema("integer").number("minimum", std::int64_t{1}));
  const Schema item =
      Schema().json("anyOf", fmt::format("[{},{}]", definition_of("group").str(), definition_of("tagged_step").str()));
  const Schema steps = Schema("array")
                           .number("minItems", std::int64_t{1})
                           .number("maxItems", static_cast<std::int64_t>(saga_steps_max))
                           .json("items", item.str());
  collector.add({"steps", "a list of [steps](#steps)", "What is done, one after the other."}, steps, true);
  return fields;
}

SagaFields step_fields(bool may_be_tagged) {
  SagaFields fields = fields_of<SagaStep>();
  SagaFieldCollector collector(fields);
  collector.add(wait_form, definition_of("duration"));
  collector.add(input_form, Schema());
  collector.add(idempotent_form, Schema("boolean"));
  if (may_be_tagged) collector.add(tag_form, Schema("string"));
  return fields;
}

SagaFields call_fields() {
  SagaFields fields;
  SagaFieldCollector collector(fields);
  collector.add(
      {"action", "an address",
       "`fn:name`, `http:destination/path`, `https://…` or `bus:topic`; of a step also `event:name`, which calls "
       "nobody."},
      Schema("string"), true);
  collector.add({"uri", "an address", "Another name of `action`."}, Schema("string"));
  collector.add({"input", "JSON with `${…}`",
                 "The body. If it is left out: the execution's input; of a compensation `{\"input\":…,\"output\":…}`."},
                Schema());
  collector.add(
      {"if_unknown", "JSON with `${…}`", "Of a compensation: the body when the action's output is not known."},
      Schema());
  return fields;
}

std::string object_schema(const SagaFields& fields, bool has_required = true) {
  JsonObject properties;
  std::vector<std::string> required;
  for (const SagaField& field : fields) {
    // In draft 4 nothing counts beside a reference.
    const bool is_reference = field.schema.str().starts_with(R"({"$ref")");
    Schema schema = is_reference ? Schema().json("allOf", "[" + field.schema.str() + "]") : field.schema;
    properties.json(field.name, schema.says(field.says).str());
    if (field.is_required) required.push_back(quoted(field.name));
  }
  Schema schema("object");
  if (has_required && !required.empty()) schema.json("required", json_list(required));
  return schema.json("additionalProperties", "false").json("properties", properties.str()).str();
}

std::string rule_schema() {
  const auto object = [](std::string_view name, const Schema& schema) {
    return Schema("object")
        .texts("required", std::array{name})
        .json("additionalProperties", "false")
        .json("properties", JsonObject().json(name, schema.str()).str())
        .str();
  };
  const Schema retries = Schema("integer").number("minimum", std::int64_t{1}).number("maximum", std::int64_t{1000});
  return fmt::format(R"({{"anyOf":[{{"type":"string","enum":["compensate","manual","skip"]}},{},{}]}})",
                     object("retry", retries), object("manual", Schema("string")));
}

constexpr std::string_view duration_schema =
    R"({"type":["string","integer"],"minimum":0,"maximum":0,"description":"As in 30m, 1h30m, 10s or 500ms; or 0.",)"
    R"("pattern":"^(0|([0-9]+([.][0-9]+)?(ns|us|ms|s|m|h))+)$"})";

std::string call_schema() {
  // `uri` may stand for `action`, so neither is required here; the check wants one.
  return fmt::format(R"({{"anyOf":[{{"type":"string"}},{}]}})", object_schema(call_fields(), false));
}

std::string definitions_schema() {
  const std::string steps = R"({"type":"array","minItems":1,"items":{"$ref":"#/definitions/step"}})";
  const std::string group = fmt::format(
      R"({{"type":"object","required":["parallel"],"additionalProperties":false,"properties":{{"parallel":{}}}}})",
      steps);
  return JsonObject()
      .json("duration", duration_schema)
      .json("step", object_schema(step_fields(false)))
      .json("tagged_step", object_schema(step_fields(true)))
      .json("group", group)
      .json("call", call_schema())
      .json("retry", object_schema(retry_fields()))
      .json("approval", object_schema(fields_of<SagaApproval>()))
      .json("for_each", object_schema(fields_of<SagaForEach>()))
      .json("rule", rule_schema())
      .str();
}

std::string pretty(const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  document.Accept(writer);
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

std::string table_of(const SagaFields& fields) {
  std::string table = "| field | form | default | meaning |\n|---|---|---|---|\n";
  for (const SagaField& field : fields) {
    table += fmt::format("| `{}` | {} | {} | {} |\n", field.name, field.form,
                         field.is_required ? "required" : field.absent, field.says);
  }
  return table;
}

constexpr std::string_view page_head = R"(# Documents of sagas

Made by `makegood saga schema --markdown`. [saga.schema.json](saga.schema.json) is the same as a JSON Schema, for
editors.

A file has a list `sagas:`, beside `destinations:` and `routes:`; `makegood apply -f FILE` stores each one as a new
version when it has changed. `makegood saga check FILE` tells all mistakes, each with its line and a mark under the
place. Over REST one saga is the JSON body of `PUT /api/saga/definitions/NAME`. In a saga `${…}` is a template;
variables of the environment are not put in there.

```yaml
sagas:
  - name: orderProcess
    deadline: 30m
    steps:
      - name: createOrder
        action: http:orders/create
        input: {user: "${input.userId}"}
        compensation:
          action: http:orders/cancel
          input: {order: "${createOrder.orderId}"}
          if_unknown: {request: "${createOrder.key}"}
      - parallel:
          - {name: reserveStock, action: "http:stock/reserve", compensation: "http:stock/release"}
          - name: payment
            action: http:payments/charge
            compensation: http:payments/refund
            on_failure: {TIMEOUT: {retry: 3}}
      - {name: confirmStock, action: "http:stock/confirm", pivot: true}
      - {name: sendMail, action: "http:mail/send"}
```

At most 100 steps and 64 KiB. Durations are numbers with a unit each: `30m`, `1h30m`, `10s`, `500ms`.
)";

constexpr std::string_view page_of_steps = R"(
Each step says how it is undone: it has a `compensation`, or `effect: none`, or it is the `pivot`, or it stands
after the pivot, where nothing is undone. There is one pivot at most, and it stands alone.

An item of `steps` can be a group instead: `{parallel: [step, step]}`. Its steps run at the same time and do not see
each other.
)";

constexpr std::string_view page_of_chains = R"(
`chain` says the order in one expression; `steps` then lists what there is, in any order, without `parallel` and
`concurrency_tag`:

| expression | means |
|---|---|
| `THEN(a, b, c)` | one after another |
| `WHEN(a, b)` | side by side. Sequences in it go in step: `WHEN(THEN(a, b), c)` is `a` beside `c`, then `b` |
| `IF(x, a)`, `IF(x, a, b)` | `a` if `x` is true, otherwise `b`; also `IF(x, a).ELIF(y, b).ELSE(c)` |
| `SWITCH(x).to(a, b)` | the one whose name `x` is; `THEN(…).id("name")` gives a name to more than a step |
| `SWITCH(x).to(a, b).DEFAULT(c)` | `c` if it is none of them |

`x` is a step, whose output is looked at (it is carried out there, unless it stands before), `step.path`, `input.path`,
or a condition in quotes: `IF("${input.total} > 100", a)`. Every step of a branch gets the condition as its `when`.
Line breaks, `//` and `/* */` are allowed, and so is `<chain name="orderProcess">…</chain>` around it, whose name is
the saga's.
)";

constexpr std::string_view page_of_calls = R"(
A call is an address, or an object. A whole URL is carried by the registered destination `http:…` with the URL that it
begins with, and has its credentials and limits; of several by the longest. Scheme, host, port and whole segments of the
path are compared; a destination whose URL has a query, or that belongs to a tenant, carries none. Without one the
document is refused; when it is removed later, the step waits, with an alarm. An object:
)";

constexpr std::string_view page_of_rules = R"(
| rule | what a failure with this code leads to |
|---|---|
| `{retry: 3}` | three retries with a new key; then what is usual |
| `{manual: why}` or `manual` | somebody decides, and reads why |
| `compensate` | what was done is undone |
| `skip` | the execution goes on without the step |
)";

constexpr std::string_view page_of_for_each = R"(
A step with `for_each` becomes one step for each element of the list: `ship.0`, `ship.1` …, beside each other, and
undone by index, the last one first. Templates of its action, its check and its compensation read the element as
`${item}` and its place as `${index}`; without `input:` the action gets the element. Later steps read all outputs as a
list (`${ship}`), or one of them (`${ship.0.id}`).
)";

constexpr std::string_view page_of_templates = R"(
Wherever JSON with `${…}` is allowed:

| template | stands for |
|---|---|
| `${input}`, `${input.a.b}` | the execution's input, or what is in it |
| `${step.a.0.b}` | the output of an earlier step, or what is in it; `0` is the first of a list |
| `${step.key}` | the idempotency key of the step's action, also where its output has a member `key` |
| `${path\|default}` | the default, a JSON literal (or `'text'`), where the path leads nowhere or to null |
| `$${` | the characters `${` |

A whole string that is one template keeps the value's type, and numbers all their digits; inside a text a value is
written as text. A template that leads nowhere and has no default sends the execution to `manual`; it never becomes
a null. A step reads the input and steps before its own group. A compensation also reads its own step; because
nobody may know that step's output, it then has `if_unknown`, or a default.

`when` is a condition: a template, or comparisons (`==`, `!=`, `<`, `<=`, `>`, `>=`) of templates and JSON literals,
with `!`, `&&` and `||`, without parentheses: `${input.total} > 100 && ${input.kind} != 'gift'`. False, null, 0 and
what is empty are false.
)";

}  // namespace

std::string saga_schema() {
  std::string schema = object_schema(saga_fields());
  schema.pop_back();
  return pretty(fmt::format(R"({},"definitions":{},"title":"A saga of Makegood","$schema":{}}})", schema,
                            definitions_schema(), quoted("http://json-schema.org/draft-04/schema#")));
}

std::string saga_page() {
  SagaFields steps = step_fields(true);
  return fmt::format(
      "{}\n## Fields of a saga\n\n{}\n## Steps\n\n{}{}\n## Chains\n{}\n## Calls\n{}\n{}\n## Retry\n\n{}\n## "
      "Rules\n{}\n## "
      "Approval\n\n{}\n## For each\n{}\n{}\n## Templates\n{}",
      page_head, table_of(saga_fields()), table_of(steps), page_of_steps, page_of_chains, page_of_calls,
      table_of(call_fields()), table_of(retry_fields()), page_of_rules, table_of(fields_of<SagaApproval>()),
      page_of_for_each, table_of(fields_of<SagaForEach>()), page_of_templates);
}

}  // namespace makegood::api

#include "makegood/saga_builder.hpp"

#include <fmt/format.h>

#include "base/saga_check.hpp"

namespace makegood {
namespace {

Error no_body() { return {Errc::validation_failed, "The body of this step is not what its saga says."}; }

/// `"payment":"${payment|null}"` of each.
std::string outputs_template(const std::vector<std::string>& names) {
  std::string members;
  for (const std::string& name : names) {
    members += fmt::format(R"({}"{}":"${{{}|null}}")", members.empty() ? "" : ",", name, name);
  }
  return "{" + members + "}";
}

}  // namespace

SagaStep& SagaProcess::add_step(std::string name, bool is_beside) {
  const std::size_t next = definition_.steps.empty() ? 0 : definition_.steps.back().group + 1;
  if (is_beside && next == 0) mistakes_.push_back("beside(…) has no step before it");
  definition_.steps.push_back({.name = std::move(name), .group = is_beside && next > 0 ? next - 1 : next});
  reads_.push_back(std::make_shared<std::vector<std::string>>());
  return definition_.steps.back();
}

void SagaProcess::add_waiting(std::string name, std::string uri, Duration timeout) {
  SagaStep& step = add_step(std::move(name), false);
  step.action.uri = std::move(uri);
  step.has_no_effect = true;
  step.timeout = timeout;
}

SagaStep& SagaProcess::last(std::string_view what) {
  if (!definition_.steps.empty()) return definition_.steps.back();
  mistakes_.push_back(fmt::format("{}(…) has no step before it", what));
  return nowhere_;
}

std::string SagaProcess::add_function(const std::string& suffix, SagaParticipant run) {
  const std::string step = definition_.steps.empty() ? std::string() : definition_.steps.back().name;
  functions_.push_back({fmt::format("{}.{}{}", definition_.name, step, suffix), std::move(run)});
  return "fn:" + functions_.back().name;
}

SagaDefinition SagaProcess::definition() const {
  SagaDefinition whole = definition_;
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    if (reads_[i]->empty()) continue;
    SagaStep& step = whole.steps[i];
    const std::string outputs = outputs_template(*reads_[i]);
    step.action.input = fmt::format(R"({{"input":"${{input}}","outputs":{}}})", outputs);
    if (!step.compensation) continue;
    step.compensation->input =
        fmt::format(R"({{"input":"${{input}}","output":"${{{}|null}}","outputs":{}}})", step.name, outputs);
  }
  return whole;
}

Result<> SagaProcess::check() const {
  if (mistakes_.empty()) return makegood::check(definition());
  std::string all;
  for (const std::string& mistake : mistakes_) all += (all.empty() ? "" : "; ") + mistake;
  return Error{Errc::invalid, fmt::format("The saga {}: {}.", definition_.name, all)};
}

namespace functions {

Result<Body> body_of_action(std::string_view json, bool reads_others) {
  FieldReader whole = MAKEGOOD_TRY(FieldReader::parse(json));
  if (!reads_others) return Body{.input = std::move(whole)};
  auto input = whole.member("input");
  if (!input) return no_body();
  return Body{.input = *std::move(input), .outputs = whole.member("outputs")};
}

Result<Body> body_of_compensation(std::string_view json) {
  const FieldReader whole = MAKEGOOD_TRY(FieldReader::parse(json));
  auto input = whole.member("input");
  auto output = whole.member("output");
  if (!input || !output) return no_body();
  return Body{.input = *std::move(input), .output = std::move(output), .outputs = whole.member("outputs")};
}

}  // namespace functions
}  // namespace makegood

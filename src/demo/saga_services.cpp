#include "demo/saga_services.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace makegood::demo {
namespace {

/// So many requests of sagas are told; then everybody has seen it.
constexpr int steps_told = 24;

struct DemoStep {
  std::string_view path;
  std::string_view who;
  std::string_view says;
};
constexpr auto demo_steps = std::to_array<DemoStep>({
    {"/saga/orders/create", "orders", "created"},
    {"/saga/orders/cancel", "orders", "cancelled: undone, because a later step has failed"},
    {"/saga/stock/reserve", "stock", "reserved"},
    {"/saga/stock/release", "stock", "released: undone, the last step first"},
    {"/saga/payments/charge", "payments", "charged"},
    {"/saga/payments/refund", "payments", "refunded"},
    {"/saga/stock/ship", "stock", "shipped: the pivot, from here it only goes forward"},
});

bool cannot_pay(const DemoRequest& request) {
  return request.path == "/saga/payments/charge" && request.body.find(R"("card":"expired")") != std::string::npos;
}

std::string text_at(const rapidjson::Document& json, const char* name) {
  const bool has_it = json.IsObject() && json.HasMember(name) && json[name].IsString();
  return has_it ? json[name].GetString() : "";
}

}  // namespace

std::optional<DemoAnswer> DemoSagaServices::answer(const DemoRequest& request) {
  if (request.path == "/saga/ended") return ended(request);
  const auto step = std::ranges::find(demo_steps, request.path, &DemoStep::path);
  if (step == demo_steps.end()) return std::nullopt;
  const bool is_refused = cannot_pay(request);
  if (++told_ <= steps_told) {
    teller_.tell(step->who,
                 fmt::format("{}: {}", request.execution, is_refused ? "refused, the card has expired" : step->says));
  }
  if (is_refused) return DemoAnswer{.status = 422, .text = R"({"code":"CARD_EXPIRED"})"};
  return DemoAnswer{.status = 200, .text = "{}"};
}

/// A saga that has ended says so with a message of the outbox.
DemoAnswer DemoSagaServices::ended(const DemoRequest& request) {
  rapidjson::Document json;
  json.Parse(request.body.data(), request.body.size());
  if (++told_ <= steps_told) {
    teller_.tell("makegood", fmt::format("{}: its saga is {}", text_at(json, "execution"), text_at(json, "state")));
  }
  return {};
}

std::string DemoSagaServices::destinations(const std::string& receiver) {
  return fmt::format(R"(  - name: http:saga
    http: {{url: "{0}/saga/"}}
  - name: http:saga-ended
    http: {{url: "{0}/saga/ended"}}
)",
                     receiver);
}

std::string DemoSagaServices::saga() {
  return R"(sagas:
  - name: orderProcess
    on_end: {topic: demo.order.ended.v1}
    steps:
      - {name: createOrder, action: "http:saga/orders/create", compensation: "http:saga/orders/cancel"}
      - {name: reserveStock, action: "http:saga/stock/reserve", compensation: "http:saga/stock/release"}
      - {name: payment, action: "http:saga/payments/charge", compensation: "http:saga/payments/refund"}
      - {name: ship, action: "http:saga/stock/ship", pivot: true}
)";
}

}  // namespace makegood::demo

#include "demo/endpoints.hpp"

#include <fmt/format.h>

#include <cmath>

namespace makegood::demo {

DemoAnswer DemoEndpoints::answer(const DemoRequest& request, std::chrono::duration<double> now) {
  if (auto answer = sagas_.answer(request)) return *std::move(answer);
  if (request.path == "/ledger") return {};
  if (request.path == "/mail") return mail();
  if (request.path == "/tax") return tax(request);
  if (request.path == "/crm") return crm(request, now);
  if (request.path == "/warehouse") return warehouse(now);
  if (request.path == "/mend") return mend();
  return {.status = 404, .text = "The demo has /ledger, /mail, /tax, /crm, /warehouse and /mend.\n"};
}

DemoAnswer DemoEndpoints::mail() {
  if (++mails_ % DemoPlan::busy_every != 0) return {};
  return {.status = 503, .text = "too many mails"};
}

DemoAnswer DemoEndpoints::tax(const DemoRequest& request) const {
  const bool is_refused = request.body.find(fmt::format("\"{}\"", DemoPlan::refused_invoice)) != std::string::npos;
  if (!is_refused || is_mended_) return {};
  return {.status = 422, .text = "this invoice has no tax number"};
}

DemoAnswer DemoEndpoints::crm(const DemoRequest& request, std::chrono::duration<double> now) const {
  const bool is_locked =
      request.key == DemoPlan::blocked_customer && now >= DemoPlan::blocked_from && now < DemoPlan::blocked_until;
  if (!is_locked) return {};
  return {.status = 503, .text = "this customer is being edited"};
}

DemoAnswer DemoEndpoints::warehouse(std::chrono::duration<double> now) {
  const std::chrono::duration<double> into(
      std::fmod(now.count(), std::chrono::duration<double>(DemoPlan::down_every).count()));
  const bool is_down = into >= DemoPlan::down_from && into < DemoPlan::down_until;
  if (is_down && !is_down_)
    teller_.tell("warehouse", fmt::format("goes down for {} seconds: it hangs up on whoever calls",
                                          (DemoPlan::down_until - DemoPlan::down_from).count()));
  if (!is_down && is_down_) teller_.tell("warehouse", "is up again");
  is_down_ = is_down;
  return {.hangs_up = is_down};
}

DemoAnswer DemoEndpoints::mend() {
  is_mended_ = true;
  teller_.tell("tax",
               fmt::format("{} has a tax number now; its dead letters can be replayed", DemoPlan::refused_invoice));
  return {.status = 200, .text = "mended\n"};
}

std::string DemoEndpoints::registry(const std::string& receiver) {
  return fmt::format(R"(# What belongs to the product, as `makegood apply` takes it.
destinations:
  - name: http:ledger
    http: {{url: "{0}/ledger"}}
  - name: http:mail
    http: {{url: "{0}/mail"}}
    retry: {{base_ms: 1000}}
  - name: http:tax
    http: {{url: "{0}/tax"}}
  - name: http:crm
    http: {{url: "{0}/crm"}}
    retry: {{base_ms: 2000, cap_ms: 8000, attempts_max: 50}}
  - name: http:warehouse
    http: {{url: "{0}/warehouse"}}
    retry: {{base_ms: 500, cap_ms: 2000, attempts_max: 50}}
    circuit: {{failures_max: 5, wait_min_ms: 1000, wait_max_ms: 4000}}
{1}routes:
  - {{pattern: "demo.order.ended.v1", destination: "http:saga-ended"}}
  - {{pattern: "billing.*", destination: "http:ledger"}}
  - {{pattern: "billing.payment.*", destination: "http:mail"}}
  - {{pattern: "billing.refund.*", destination: "http:mail"}}
  - {{pattern: "billing.invoice.*", destination: "http:tax"}}
  - {{pattern: "billing.*", destination: "http:crm"}}
  - {{pattern: "billing.payment.*", destination: "http:warehouse"}}
{2})",
                     receiver, DemoSagaServices::destinations(receiver), DemoSagaServices::saga());
}

}  // namespace makegood::demo

// Five endpoints of the demo, each with a habit of its own, so that everything can be seen within a minute.
#pragma once

#include <chrono>
#include <string>

#include "demo/receiver.hpp"
#include "demo/saga_services.hpp"
#include "demo/teller.hpp"

namespace makegood::demo {

/// What is special, and when. Seconds are those of the demo.
struct DemoPlan {
  static constexpr int declined_order = 3;                 ///< Rolled back: its payment is never heard of.
  static constexpr const char* refused_invoice = "inv-4";  ///< The tax office refuses it until it is mended.
  static constexpr const char* blocked_customer = "customer-2";
  static constexpr std::chrono::seconds blocked_from{3}, blocked_until{40};
  static constexpr std::chrono::seconds down_from{6}, down_until{26}, down_every{90};
  static constexpr int busy_every = 6;     ///< Requests of the mail server.
  static constexpr int saga_every = 2;     ///< Every other order is a saga, too …
  static constexpr int expired_every = 4;  ///< … and every other one of these has to be undone.
};

class DemoEndpoints {
 public:
  explicit DemoEndpoints(DemoTeller& teller) : teller_(teller), sagas_(teller) {}

  /// Called by one thread.
  DemoAnswer answer(const DemoRequest& request, std::chrono::duration<double> now);

  /// Destinations and routes, as `makegood apply` takes them. `receiver` is where these endpoints are.
  static std::string registry(const std::string& receiver);

 private:
  DemoAnswer mail();
  DemoAnswer tax(const DemoRequest& request) const;
  DemoAnswer crm(const DemoRequest& request, std::chrono::duration<double> now) const;
  DemoAnswer warehouse(std::chrono::duration<double> now);
  DemoAnswer mend();

  DemoTeller& teller_;
  DemoSagaServices sagas_;
  int mails_ = 0;
  bool is_mended_ = false;
  bool is_down_ = false;
};

}  // namespace makegood::demo

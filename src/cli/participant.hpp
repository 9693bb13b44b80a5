// A participant of sagas, called as `makegood serve` calls it, and what its answers mean to a saga.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "makegood/http.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood::cli {

struct ParticipantRequest {
  std::string execution;
  bool is_compensation = false;
  std::uint32_t round = 1;
  std::uint32_t action_round = 1;  ///< Of a compensation: the highest round of its action.
  std::uint32_t attempt = 1;
  bool is_late = false;      ///< Its deadline has passed before it is sent.
  std::string input = "{}";  ///< JSON.
  std::string output = {};   ///< Of a compensation: what the action answered; empty: nobody knows.
};

struct ParticipantAnswer {
  SagaOutcome outcome = SagaOutcome::unknown;
  bool is_accepted = false;  ///< 202: it wants to answer later.
  bool has_left = false;     ///< The request; otherwise nobody was there.
  std::string output = {};   ///< JSON.
  std::string code = {};
  std::string error = {};
};
/// `ok {"id":1}`, `fail NO_FUNDS`, `unknown HTTP.500`.
std::string to_string(const ParticipantAnswer& answer);

class Participant {
 public:
  struct Settings {
    HttpSettings action = {};
    HttpSettings compensation = {};
    Duration timeout = std::chrono::seconds(10);
  };
  static Result<Participant> open(const Settings& settings);
  Participant(Participant&&) noexcept;
  Participant& operator=(Participant&&) noexcept;
  ~Participant();

  /// All at once; answers in their order.
  std::vector<ParticipantAnswer> ask(const std::vector<ParticipantRequest>& requests);
  ParticipantAnswer ask(const ParticipantRequest& request) { return ask(std::vector{request}).front(); }
  /// Sends it and runs `meanwhile` while it is on its way.
  ParticipantAnswer ask(const ParticipantRequest& request, const std::function<void()>& meanwhile);

 private:
  class Calls;
  explicit Participant(std::unique_ptr<Calls> calls);
  std::unique_ptr<Calls> calls_;
};

}  // namespace makegood::cli

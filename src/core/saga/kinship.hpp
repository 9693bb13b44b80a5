// Executions that are steps of others. A parent asks for its child by rows of the log, which are written in its own
// turn; a child tells its parent in the turn in which it ends. Neither knows more of the other than such rows say.
//
// **A child is a barrier.** It has one id, so it is begun once for each round, however often it is asked for. It keeps
// its end, and once it was undone nothing of it runs any more. So its parent may ask to undo it at any time: what runs
// is cancelled, what has completed is compensated, what has failed is tried again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/message.hpp"

namespace makegood::core {

class Execution;
struct SagaAnswer;
struct SagaSend;

inline constexpr std::size_t kinship_depth_max = 8;

/// Which step of which execution started it, as its start says.
struct SagaParent {
  std::string execution = {};  ///< Its id; of the same tenant.
  std::string step = {};
  std::uint32_t round = 0;
  std::size_t depth = 1;  ///< The child of a child has 2.
};
std::optional<SagaParent> read_parent(const Message& start);

/// As the number of an attempt: the last one of its round, whichever that is.
inline constexpr std::uint32_t last_attempt = 0;

/// The same for each attempt of a round.
std::string child_id(const Execution& parent, std::size_t step, std::uint32_t round);
/// Why it cannot be started; empty: it can.
std::string why_no_child(const Execution& parent, std::size_t step, std::uint32_t round);
/// Starts it, or asks it again; or wants it undone.
NewMessage child_request(const Execution& parent, const SagaSend& send);
/// Whose compensation is a call of its own: that one waits until the child has ended.
std::vector<NewMessage> cancelled_children(const Execution& parent);
/// Of its action and, if it is to be undone, of its compensation. `is_refused`: it cannot be undone now.
std::vector<SagaAnswer> answers_of_child(const Execution& child, bool is_refused);

}  // namespace makegood::core

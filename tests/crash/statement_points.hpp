// Points inside of a transaction: they are the statements that a step of the process runs.
#pragma once

#include <functional>
#include <string_view>

namespace makegood::crash {

enum class Moment { begins, ends };

/// In a step, when a statement begins or ends: passes the point that the statement is, if it is one.
void pass_statement(Moment moment, std::string_view sql);
/// In a step: passes its point of this name, if it has one. As `pass` of failpoints.hpp.
void pass_in_step(std::string_view what, const std::function<void()>& last_deed = {});

/// Which step the statements of this thread belong to, as long as the object lives.
class Step {
 public:
  explicit Step(std::string_view name);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  /// Empty: none.
  static std::string_view current();

 private:
  const std::string_view outer_;
};

/// Where the statements come from. On connections that are opened later.
void watch_sqlite();
void watch_libpq();

}  // namespace makegood::crash

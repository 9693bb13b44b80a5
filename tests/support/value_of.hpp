// What a result of a test's own preparations must hold.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "makegood/result.hpp"

namespace makegood {

/// An exception that fails the test and shows the error.
inline std::runtime_error not_there(const Error& error) {
  return std::runtime_error(std::string(to_string(error.code)) + ": " + error.message + " (" + error.diagnostics + ")");
}

template <class T>
T value_of(Result<T> result) {
  if (!result) throw not_there(result.error());
  return *std::move(result);
}
/// Writers beside each other share one lock and one disk, which may stall for longer than a store waits: the call is
/// then to be repeated, as its callers are told. For threads of a test, where an exception ends the program.
template <class Call>
auto value_in_the_end(const Call& call) {
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  auto result = call();
  while (!result && result.error().code == Errc::store_unavailable && std::chrono::steady_clock::now() < give_up_at) {
    result = call();
  }
  return value_of(std::move(result));
}
inline void must(const Result<>& result) {
  if (!result) throw not_there(result.error());
}
template <class T>
Errc code_of(const Result<T>& result) {
  if (result) throw std::runtime_error("succeeded where an error was expected");
  return result.error().code;
}

}  // namespace makegood

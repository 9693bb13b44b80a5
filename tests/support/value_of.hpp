// What a result of a test's own preparations must hold.
#pragma once

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
inline void must(const Result<>& result) {
  if (!result) throw not_there(result.error());
}
template <class T>
Errc code_of(const Result<T>& result) {
  if (result) throw std::runtime_error("succeeded where an error was expected");
  return result.error().code;
}

}  // namespace makegood

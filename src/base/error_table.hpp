// One row per error code. Its text, its HTTP status and what others do about it are read from here and nowhere else.
#pragma once

#include <span>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood {

/// Who has to change something before it can go well.
enum class Fault {
  caller,    ///< What was asked for: asked again it is refused again, and the connection is good.
  delivery,  ///< One message or its destination; whatever else is to be done goes on.
  moment,    ///< Nobody: somebody was away, or another owner wrote. What is begun anew may go well.
  store,     ///< The store refuses everybody until it is mended.
  ours,      ///< A broken promise of this program.
};

struct ErrorRow {
  Errc code;
  std::string_view name;  ///< Of the enumerator.
  std::string_view text;
  bool is_retryable;
  Severity severity;
  int http_status;
  Fault fault;
};

/// In the order of the enumerators.
std::span<const ErrorRow> error_table();
const ErrorRow& row_of(Errc code);
inline Fault fault_of(Errc code) { return row_of(code).fault; }

}  // namespace makegood

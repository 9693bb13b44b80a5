// What a text must look like to be what its key takes.
#pragma once

#include <string_view>

#include "config/value.hpp"

namespace makegood::config {

/// Of one text, or of one item of a list.
Complaint complaint_about(Form form, std::string_view text);

}  // namespace makegood::config

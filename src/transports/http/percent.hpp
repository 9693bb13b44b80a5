// Percent-encoding, for texts of users in headers and in references.
#pragma once

#include <string>
#include <string_view>

namespace makegood::http {

/// As the HTTP binding of CloudEvents wants the value of a header: everything but printable ASCII without space, `"`
/// and
/// `%`. Decoding gives back the same bytes.
void append_header_text(std::string& text, std::string_view value);
/// An event id in `webhook-id`: dots too, which separate the parts that are signed.
void append_webhook_id(std::string& text, std::string_view event_id);
/// One segment of a path: everything but letters, digits and `-._~`.
void append_path_segment(std::string& text, std::string_view segment);

}  // namespace makegood::http

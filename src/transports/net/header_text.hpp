// Texts of users in headers and in references: what may stand there, and percent-encoding for what may not.
#pragma once

#include <string>
#include <string_view>

namespace makegood::net {

/// Printable ASCII and spaces. No control character at all, and no byte above 126: nobody agrees on what those mean.
bool is_header_value(std::string_view value);
/// Without the spaces around it, which mean nothing in a header.
std::string_view trimmed(std::string_view value);

/// As the HTTP binding of CloudEvents wants the value of a header: everything but printable ASCII without space, `"`
/// and
/// `%`. Decoding gives back the same bytes.
void append_header_text(std::string& text, std::string_view value);
/// What `append_header_text` has made of it; a percent sign that begins no byte stands for itself.
std::string decoded_header_text(std::string_view text);
/// An event id in `webhook-id`: dots too, which separate the parts that are signed.
void append_webhook_id(std::string& text, std::string_view event_id);
/// One segment of a path: everything but letters, digits and `-._~`.
void append_path_segment(std::string& text, std::string_view segment);

}  // namespace makegood::net

#include "transports/http/message_headers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "transports/http/header_rules.hpp"

namespace makegood::http {
namespace {

template <class... Values>
Error unfit(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::invalid, fmt::format(sentence, std::forward<Values>(values)...)};
}

/// Its name and value without the spaces around it, or why it cannot be sent.
Result<std::string_view> checked_value(std::string_view name, const json::Value& text) {
  if (const auto objection = objection_to_name(name)) {
    return unfit("The message's header {} {}.", shown_header_name(name), *objection);
  }
  if (!text.IsString()) return unfit("The message's header {} is not a text.", name);
  const std::string_view value = trimmed({text.GetString(), text.GetStringLength()});
  if (const auto objection = objection_to_value(value)) return unfit("The message's header {} {}.", name, *objection);
  return value;
}

}  // namespace

void append_header(std::vector<std::string>& headers, std::string_view name, std::string_view value) {
  std::string& header = headers.emplace_back();
  header.reserve(name.size() + 2 + value.size());
  header.append(name).append(": ").append(value);
}

Result<> append_message_headers(std::string_view texts, const std::vector<std::string>& own_names,
                                std::vector<std::string>& headers) {
  if (texts.empty()) return {};
  const auto document = json::parse_object(texts);
  if (!document) return unfit("The message's headers are not a JSON object.");
  const std::size_t count = document->MemberCount();
  if (count > headers_max) return unfit("The message has {} headers; allowed: {}.", count, headers_max);
  std::size_t bytes = 0;
  for (const auto& member : document->GetObject()) {
    const std::string_view name(member.name.GetString(), member.name.GetStringLength());
    const std::string_view value = MAKEGOOD_TRY(checked_value(name, member.value));
    bytes += name.size() + value.size();
    const bool is_own =
        std::ranges::any_of(own_names, [&](const std::string& own) { return is_same_header(own, name); });
    if (!is_own && !value.empty()) append_header(headers, name, value);
  }
  if (bytes <= headers_bytes_max) return {};
  return unfit("The message's headers have {} bytes; allowed: {}.", bytes, headers_bytes_max);
}

}  // namespace makegood::http

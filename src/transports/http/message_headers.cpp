#include "transports/http/message_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "transports/http/header_rules.hpp"

namespace makegood::http {
namespace {

template <class... Values>
Error unfit(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::invalid, fmt::format(sentence, std::forward<Values>(values)...)};
}

/// Headers mostly fit on the stack; the 64 KiB that a document takes otherwise cost more than reading them.
class SmallDocument {
 public:
  using Pool = rapidjson::MemoryPoolAllocator<>;
  using Document = rapidjson::GenericDocument<rapidjson::UTF8<>, Pool, Pool>;

  const Document& parse(std::string_view text) {
    document_.Parse(text.data(), text.size());
    return document_;
  }

 private:
  std::array<char, 4096> values_;
  std::array<char, 2048> stack_;
  Pool value_pool_{values_.data(), values_.size()};
  Pool stack_pool_{stack_.data(), stack_.size()};
  Document document_{&value_pool_, stack_.size() / 2, &stack_pool_};
};

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

Result<> append_message_headers(std::string_view texts, const std::vector<std::string>& own_names,
                                HeaderLines& headers) {
  if (texts.empty()) return {};
  SmallDocument small;
  const auto& document = small.parse(texts);
  if (document.HasParseError() || !document.IsObject()) return unfit("The message's headers are not a JSON object.");
  const std::size_t count = document.MemberCount();
  if (count > headers_max) return unfit("The message has {} headers; allowed: {}.", count, headers_max);
  std::size_t bytes = 0;
  for (const auto& member : document.GetObject()) {
    const std::string_view name(member.name.GetString(), member.name.GetStringLength());
    const std::string_view value = MAKEGOOD_TRY(checked_value(name, member.value));
    bytes += name.size() + value.size();
    const bool is_own =
        std::ranges::any_of(own_names, [&](const std::string& own) { return is_same_header(own, name); });
    if (!is_own && !value.empty()) headers.add(name, value);
  }
  if (bytes <= headers_bytes_max) return {};
  return unfit("The message's headers have {} bytes; allowed: {}.", bytes, headers_bytes_max);
}

}  // namespace makegood::http

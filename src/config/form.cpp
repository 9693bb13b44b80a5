#include "config/form.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "config/quantity.hpp"

namespace makegood::config {
namespace {

/// An identifier, with or without the schema it is in.
bool is_outbox_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos)
    return is_outbox_name(name.substr(0, dot)) && name.find('.', dot + 1) == std::string_view::npos &&
           is_outbox_name(name.substr(dot + 1));
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 63 && is_letter(name.front()) && std::ranges::all_of(name, is_part);
}

bool is_store_url(std::string_view url) {
  const std::size_t colon = url.find(':');
  const auto is_scheme = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+'; };
  return colon != std::string_view::npos && colon > 0 && std::ranges::all_of(url.substr(0, colon), is_scheme);
}

bool is_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto port = parse_number<std::uint32_t>(text.substr(colon + 1));
  return port && *port <= 65535;
}

/// Starts with a slash and is harmless in a URL; empty: there is none.
bool is_path(std::string_view text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/-_.~").contains(c);
  };
  return text.empty() || (text.starts_with('/') && text.size() > 1 && std::ranges::all_of(text, is_plain));
}

/// Empty: there is none.
bool is_web_address(std::string_view text) {
  return text.empty() || ((text.starts_with("http://") || text.starts_with("https://")) && !text.ends_with('/'));
}

bool is_secret_beginning(std::string_view text) { return text.starts_with("file:/") || text.starts_with("env:"); }

/// Short and plain: it stands in logs, in records and on command lines.
bool is_plain_name(std::string_view text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-_.").contains(c);
  };
  return text.size() <= 63 && std::ranges::all_of(text, is_plain);
}

}  // namespace

Complaint complaint_about(Form form, std::string_view text) {
  switch (form) {
    case Form::url:
      return is_store_url(text) ? Complaint{} : "is not a URL";
    case Form::web_address:
      return is_web_address(text) ? Complaint{} : "is not the address of a web server";
    case Form::address:
      return is_listen_address(text) ? Complaint{} : "is not an address";
    case Form::path:
      return is_path(text) ? Complaint{} : "is not a path";
    case Form::table:
      return is_outbox_name(text) ? Complaint{} : "is not a table name";
    case Form::secret:
      return is_secret_beginning(text) ? Complaint{} : "is not the beginning of a reference";
    case Form::name:
      return is_plain_name(text) ? Complaint{} : "is not a name";
    case Form::network:      // What is one, HTTP itself says, when all is read.
    case Form::name_server:  // Likewise.
    case Form::cache:        // What is one, the transport says, when it is opened.
    case Form::file:
      return {};
  }
  std::unreachable();
}

}  // namespace makegood::config

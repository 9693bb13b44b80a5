#include "transports/nats/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/duration_text.hpp"
#include "base/json.hpp"
#include "base/seed.hpp"
#include "transports/broker/headers.hpp"
#include "transports/broker/repeats.hpp"
#include "transports/nats/user_key.hpp"
#include "transports/net/header_text.hpp"

namespace makegood::nats {
namespace {

using broker::code_text;
using broker::Token;

constexpr std::string_view line_end = "\r\n";
/// A line of the server: its INFO is the longest.
constexpr std::size_t line_bytes_max = std::size_t{1} << 20;
constexpr std::size_t answer_bytes_max = std::size_t{8} << 20;
constexpr std::string_view no_responders = "NATS/1.0 503";

/// JetStream's own numbers of errors that the same message gets each time.
constexpr auto final_errors =
    std::to_array<std::int64_t>({10054, 10097});  // Too large for the stream; header too large.

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(line.size(), end + 1));
  }
  return words;
}

template <class Number>
bool read_number(std::string_view digits, Number& number) {
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return failed == std::errc() && end == digits.data() + digits.size();
}

Error garbled() { return {Errc::unavailable, "It does not speak the protocol of NATS."}; }

Result<std::string> header_of(const Delivery& delivery) {
  std::string header = "NATS/1.0\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    net::append_header_text(header.append(name).append(": "), value);
    header += line_end;
  };
  header.append("Nats-Msg-Id: ").append(broker::name_of(delivery)) += line_end;
  if (!net::is_header_value(delivery.message->content_type)) {
    return Error{Errc::invalid, "The message's content type cannot be sent; allowed: printable ASCII."};
  }
  header.append("content-type: ").append(delivery.message->content_type) += line_end;
  MAKEGOOD_TRY(broker::for_each_header(delivery, "ce-", add));
  return std::move(header += line_end);
}

/// What JetStream says when it does not store a message.
Reply refusal_of(const json::Value& error) {
  const std::int64_t status = json::number_in(error, "code", 0).has_value() ? *json::number_in(error, "code", 0) : 0;
  const auto number = json::number_in(error, "err_code", 0);
  const auto description = json::text_in(error, "description");
  std::string detail = description ? *description : "JetStream refuses the message.";
  if (status == 503) return Reply::unreachable(code_text(Errc::unavailable), std::move(detail));
  const std::int64_t code = number ? *number : 0;
  const bool is_final = std::ranges::find(final_errors, code) != final_errors.end();
  return Reply::said(is_final ? Outcome::fail(fmt::format("NATS.{}", code), std::move(detail))
                              : Outcome::retry(fmt::format("NATS.{}", code), std::move(detail)));
}

std::string advice_on(const json::Value& info, Duration repeats_for) {
  const auto config = json::object_in(info, "config");
  if (!config) return {};
  const auto window_ns = json::number_in(**config, "duplicate_window", 0);
  const Duration window = std::chrono::microseconds((window_ns ? *window_ns : 0) / 1000);
  if (window >= repeats_for) return {};
  return fmt::format(
      " Its duplicates window is {}, but a message may come again for {}: what comes after the window is stored twice.",
      format_duration(window), format_duration(repeats_for));
}

}  // namespace

bool is_subject(std::string_view subject) {
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F || c == '*' || c == '>'; };
  return !subject.empty() && !std::ranges::any_of(subject, is_bad) && !subject.starts_with('.') &&
         !subject.ends_with('.') && !subject.contains("..");
}

Protocol::Protocol(std::string username, broker::Credentials credentials)
    : username_(std::move(username)),
      credentials_(std::move(credentials)),
      inbox_(fmt::format("_INBOX.makegood{:016x}{:016x}.", seed_of_the_system(), seed_of_the_system())) {}

// What the server says
// --------------------------------------------------------------------------------------------------------------------

Result<std::size_t> Protocol::receive(std::string_view bytes) {
  std::size_t consumed = 0;
  for (;;) {
    const std::string_view rest = bytes.substr(consumed);
    const std::size_t end = rest.find(line_end);
    if (end == std::string_view::npos) {
      if (rest.size() > line_bytes_max) return garbled();
      return consumed;
    }
    const std::string_view line = rest.substr(0, end);
    const bool has_header = line.starts_with("HMSG ");
    if (!has_header && !line.starts_with("MSG ")) {
      MAKEGOOD_TRY(take_line(line));
      consumed += end + line_end.size();
      continue;
    }
    const auto words = words_of(line);
    std::size_t header_bytes = 0;
    std::size_t total_bytes = 0;
    if (words.size() < (has_header ? 5U : 4U) || !read_number(words.back(), total_bytes) ||
        (has_header && !read_number(words[words.size() - 2], header_bytes)) || header_bytes > total_bytes ||
        total_bytes > answer_bytes_max) {
      return garbled();
    }
    const std::size_t begin = end + line_end.size();
    if (rest.size() < begin + total_bytes + line_end.size()) return consumed;
    take_message({.subject = words[1],
                  .header = rest.substr(begin, header_bytes),
                  .content = rest.substr(begin + header_bytes, total_bytes - header_bytes)});
    consumed += begin + total_bytes + line_end.size();
  }
}

Result<> Protocol::take_line(std::string_view line) {
  if (line.starts_with("INFO ")) return take_info(line.substr(5));
  if (line.starts_with("-ERR")) return take_error(line.substr(4));
  if (line == "PING") outgoing_ += "PONG\r\n";
  if (line == "PONG") is_ready_ = true;  // The answer to the one behind CONNECT.
  if (line == "PING" || line == "PONG" || line == "+OK") return {};
  return garbled();
}

/// The first one is the server's greeting, and is answered. Later ones tell of changes in its cluster.
Result<> Protocol::take_info(std::string_view text) {
  const auto info = json::parse_object(text);
  if (!info) return garbled();
  const auto max_payload = json::number_in(*info, "max_payload", 0);
  if (max_payload && *max_payload > 0) content_bytes_max_ = static_cast<std::size_t>(*max_payload);
  if (has_info_) return {};
  has_info_ = true;
  const auto has_headers = json::flag_in(*info, "headers", false);
  if (!has_headers || !*has_headers)
    return Error{Errc::unavailable, "The server is older than 2.2: it has no headers."};
  const auto nonce = json::text_in(*info, "nonce");
  outgoing_ += fmt::format("CONNECT {}\r\nSUB {}* 1\r\nPING\r\n",
                           MAKEGOOD_TRY(connect_options(nonce ? *nonce : std::string())), inbox_);
  credentials_.clear();
  return {};
}

Result<std::string> Protocol::connect_options(std::string_view nonce) const {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  for (const char* const flag : {"headers", "no_responders"}) json::write(writer, flag, true);
  for (const char* const flag : {"verbose", "pedantic", "echo"}) json::write(writer, flag, false);
  json::write(writer, "protocol", std::int64_t{1});
  json::write(writer, "lang", std::string_view("makegood"));
  json::write(writer, "version", std::string_view(MAKEGOOD_VERSION));
  json::write(writer, "name", std::string_view("makegood"));
  if (!username_.empty()) json::write(writer, "user", std::string_view(username_));
  if (const auto found = credentials_.find("password"); found != credentials_.end()) {
    json::write(writer, "pass", std::string_view(found->second));
  }
  if (const auto found = credentials_.find("token"); found != credentials_.end()) {
    json::write(writer, "auth_token", std::string_view(found->second));
  }
  if (const auto found = credentials_.find("user_key"); found != credentials_.end()) {
    const UserKey key = MAKEGOOD_TRY(UserKey::from(found->second));
    const bool has_token = !key.jwt().empty();
    const std::string signature = MAKEGOOD_TRY(key.sign(nonce));
    json::write(writer, has_token ? "jwt" : "nkey", std::string_view(has_token ? key.jwt() : key.public_key()));
    json::write(writer, "sig", std::string_view(signature));
  }
  writer.EndObject();
  return std::string(text.GetString(), text.GetSize());
}

/// A publication that is not allowed is told so, without its inbox, and the connection stays.
Result<> Protocol::take_error(std::string_view text) {
  constexpr std::string_view forbidden = "Permissions Violation for Publish to \"";
  const std::size_t at = text.find(forbidden);
  if (at == std::string_view::npos) {
    return Error{Errc::unavailable, fmt::format("The server says{}.", text)};
  }
  const std::string_view rest = text.substr(at + forbidden.size());
  const std::string subject(rest.substr(0, rest.find('"')));
  std::vector<Token> tokens;
  for (const auto& [token, publication] : publications_) {
    if (publication.subject == subject) tokens.push_back(token);
  }
  for (const Token token : tokens) {
    settle(token, Reply::unreachable(code_text(Errc::unavailable),
                                     fmt::format("The server does not let us publish to {}.", subject)));
  }
  return {};
}

void Protocol::take_message(const Message& message) {
  Token token = 0;
  if (!message.subject.starts_with(inbox_) || !read_number(message.subject.substr(inbox_.size()), token)) return;
  const auto found = publications_.find(token);
  if (found == publications_.end()) return;
  if (message.header.starts_with(no_responders) && message.content.empty()) {
    return settle(token,
                  Reply::unreachable(code_text(Errc::unavailable),
                                     fmt::format("No stream takes the subject {}; make one, or mend the subject.",
                                                 found->second.subject)));
  }
  take_answer(token, found->second, message);
}

void Protocol::take_answer(Token token, Publication& publication, const Message& message) {
  const auto answer = json::parse_object(message.content);
  if (!answer) {
    return settle(token, {.what = Reply::What::garbled,
                          .code = code_text(Errc::unavailable),
                          .detail = fmt::format("What answers at {} is no stream.", publication.subject)});
  }
  if (!publication.stored_in.empty()) {
    return settle(token, Reply::said({.detail = fmt::format("Stored in the stream {}.{}", publication.stored_in,
                                                            advice_on(*answer, publication.repeats_for))}));
  }
  if (const auto* error = json::member(*answer, "error"); error != nullptr && error->IsObject()) {
    return settle(token, refusal_of(*error));
  }
  const auto stream = json::text_in(*answer, "stream");
  if (!stream) {
    return settle(token, {.what = Reply::What::garbled,
                          .code = code_text(Errc::unavailable),
                          .detail = fmt::format("What answers at {} is no stream.", publication.subject)});
  }
  if (!publication.is_test) {
    const auto is_duplicate = json::flag_in(*answer, "duplicate", false);
    const bool is_first = publication.is_first && is_duplicate && *is_duplicate;
    return settle(token, broker::repeated(is_first, "NATS.DUPLICATE"));
  }
  publication.stored_in = *stream;
  ask_about_stream(token, *stream);
}

/// Who has not the right to ask gets no answer before the timeout; so the test of a destination says what it knows.
void Protocol::ask_about_stream(Token token, const std::string& stream) {
  outgoing_ += fmt::format("PUB $JS.API.STREAM.INFO.{} {}{} 0\r\n\r\n", stream, inbox_, token);
}

void Protocol::settle(Token token, Reply reply) {
  publications_.erase(token);
  answers_.push_back({token, std::move(reply)});
}

// What we say
// --------------------------------------------------------------------------------------------------------------------

std::optional<Reply> Protocol::publish(Token token, const Delivery& delivery, const broker::Target& target) {
  auto subject = target.address.fill(delivery);
  if (!subject) return broker::refused_here(subject.error());
  if (!is_subject(*subject)) {
    return Reply::unsendable(code_text(Errc::invalid),
                             "The subject cannot be published to; its levels must have no blanks, `*` or `>`.");
  }
  auto header = header_of(delivery);
  if (!header) return broker::refused_here(header.error());
  const std::string_view content = delivery.message->content;
  const std::size_t total = header->size() + content.size();
  if (content_bytes_max_ > 0 && total > content_bytes_max_) {
    return Reply::unsendable(
        code_text(Errc::payload_too_large),
        fmt::format("The message has {} bytes with its headers; the server takes {}.", total, content_bytes_max_));
  }
  outgoing_ += fmt::format("HPUB {} {}{} {} {}\r\n", *subject, inbox_, token, header->size(), total);
  outgoing_.append(*header).append(content) += line_end;
  publications_.emplace(token, Publication{.subject = *std::move(subject),
                                           .repeats_for = broker::repeats_for(*delivery.destination),
                                           .is_test = broker::is_test(delivery),
                                           .is_first = delivery.is_first});
  return std::nullopt;
}

}  // namespace makegood::nats

#include "transports/nats/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/duration_text.hpp"
#include "base/json.hpp"
#include "transports/broker/headers.hpp"
#include "transports/broker/repeats.hpp"
#include "transports/net/header_text.hpp"

namespace makegood::nats {
namespace {

using broker::code_text;
using broker::Token;

constexpr std::size_t answer_bytes_max = std::size_t{8} << 20;

/// JetStream's own numbers of errors that the same message gets each time.
constexpr auto final_errors =
    std::to_array<std::int64_t>({10054, 10097});  // Too large for the stream; header too large.

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
    : inbox_(new_inbox()), greeting_(std::move(username), std::move(credentials)) {}

// What the server says
// --------------------------------------------------------------------------------------------------------------------

Result<std::size_t> Protocol::receive(std::string_view bytes) {
  std::size_t consumed = 0;
  for (;;) {
    const auto piece = MAKEGOOD_TRY(parse_piece(bytes.substr(consumed), answer_bytes_max));
    if (!piece) return consumed;
    consumed += piece->bytes;
    if (piece->message) {
      take_message(*piece->message);
    } else if (!MAKEGOOD_TRY(greeting_.take_line(piece->line, inbox_, outgoing_))) {
      MAKEGOOD_TRY(take_error(piece->line.substr(4)));
    }
  }
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
  if (!message.subject.starts_with(inbox_)) return;
  const auto token = static_cast<Token>(number_in(message.subject.substr(inbox_.size())));
  const auto found = publications_.find(token);
  if (found == publications_.end()) return;
  if (status_of(message.header) == no_responders && message.content.empty()) {
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
  const std::size_t content_bytes_max = greeting_.content_bytes_max();
  if (content_bytes_max > 0 && total > content_bytes_max) {
    return Reply::unsendable(
        code_text(Errc::payload_too_large),
        fmt::format("The message has {} bytes with its headers; the server takes {}.", total, content_bytes_max));
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

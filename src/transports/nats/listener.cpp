#include "transports/nats/listener.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/new_row.hpp"
#include "transports/net/header_text.hpp"

namespace makegood::nats {
namespace {

/// With its headers.
constexpr std::size_t message_bytes_max = content_bytes_highest + (std::size_t{4} << 20);
constexpr std::string_view pulled = "pulled";
constexpr std::string_view event_prefix = "ce-";
constexpr std::int64_t pull_expires_ns = 5'000'000'000;
constexpr int no_messages = 404;
constexpr int request_timeout = 408;
constexpr int conflict = 409;

/// `$JS.ACK.[domain.account.]stream.consumer.delivered.number.consumer_number.time.left[.random]`: where it is from.
struct Origin {
  std::string_view consumer;
  std::int64_t number = 0;
  std::int64_t left = 0;
};
std::optional<Origin> origin_of(std::string_view reply) {
  std::vector<std::string_view> parts;
  while (!reply.empty()) {
    const std::size_t end = std::min(reply.find('.'), reply.size());
    parts.push_back(reply.substr(0, end));
    reply.remove_prefix(std::min(reply.size(), end + 1));
  }
  constexpr std::size_t plain = 9;
  constexpr std::size_t with_domain = 11;
  if (parts.size() < plain || parts[0] != "$JS" || parts[1] != "ACK") return std::nullopt;
  const std::size_t skip = parts.size() >= with_domain ? 2 : 0;
  return Origin{parts[3 + skip], number_in(parts[5 + skip]), number_in(parts[8 + skip])};
}

/// By the names of CloudEvents as all sources have them. Our own transport has percent-encoded every value.
std::vector<std::pair<std::string, std::string>> headers_of(std::string_view header) {
  const auto written = headers_in(header);
  const auto is_named = [](std::string_view name) { return [name](const auto& one) { return one.first == name; }; };
  const bool is_ours =
      std::ranges::any_of(written, is_named("attempt")) && std::ranges::any_of(written, is_named("outbox"));
  std::vector<std::pair<std::string, std::string>> headers;
  for (const auto& [name, value] : written) {
    const bool is_of_event = name.starts_with(event_prefix);
    std::string said = is_of_event ? fmt::format("ce_{}", name.substr(event_prefix.size())) : std::string(name);
    headers.emplace_back(std::move(said), is_of_event || is_ours ? net::decoded_header_text(value) : value);
  }
  return headers;
}

}  // namespace

Listener::Listener(std::string stream, std::string username, broker::Credentials credentials)
    : stream_(std::move(stream)), greeting_(std::move(username), std::move(credentials)) {}

Result<std::size_t> Listener::receive(std::string_view bytes) {
  std::size_t consumed = 0;
  for (;;) {
    const auto piece = MAKEGOOD_TRY(parse_piece(bytes.substr(consumed), message_bytes_max));
    if (!piece) return consumed;
    consumed += piece->bytes;
    if (piece->message) {
      MAKEGOOD_TRY(take(*piece->message));
    } else if (!MAKEGOOD_TRY(greeting_.take_line(piece->line, inbox_, outgoing_))) {
      return Error{Errc::unavailable, fmt::format("The server says{}.", piece->line.substr(4))};
    }
  }
}

void Listener::ask(std::string_view subject, std::string_view question) {
  answer_.reset();
  outgoing_ += fmt::format("PUB {} {}{} {}\r\n{}\r\n", subject, inbox_, ++question_, question.size(), question);
}

void Listener::listen_to(std::string consumer) {
  consumer_ = std::move(consumer);
  awaited_ = 0;
  is_next_too_large_ = false;
  found_.clear();
}

void Listener::pull(std::string_view subject, std::size_t rows, std::size_t bytes) {
  const std::string question =
      bytes == 0 ? fmt::format(R"({{"batch":{},"expires":{}}})", rows, pull_expires_ns)
                 : fmt::format(R"({{"batch":{},"expires":{},"max_bytes":{}}})", rows, pull_expires_ns, bytes);
  outgoing_ += fmt::format("PUB {} {}{} {}\r\n{}\r\n", subject, inbox_, pulled, question.size(), question);
  awaited_ = rows;
  has_come_ = false;
  is_next_too_large_ = false;
}

Result<> Listener::take(const Message& message) {
  if (message.reply.starts_with("$JS.ACK.")) return take_found(message), Result<>();
  if (!message.subject.starts_with(inbox_)) return {};
  const std::string_view whose = message.subject.substr(inbox_.size());
  const int status = status_of(message.header);
  if (status == no_responders) {
    return Error{Errc::unavailable, "JetStream does not answer: is it on, and may this user ask it ($JS.API.>)?"};
  }
  if (whose == pulled) return take_status(status, message.header);
  if (number_in(whose) == static_cast<std::int64_t>(question_)) answer_ = std::string(message.content);
  return {};
}

/// The end of what was asked for: nothing more is there, or time is over, or it is more than was asked for.
Result<> Listener::take_status(int status, std::string_view header) {
  const std::string_view said = header.substr(0, header.find(line_end));
  if (status == no_messages || status == request_timeout) awaited_ = 0;
  if (status != conflict) return {};
  awaited_ = 0;
  if (!said.contains("MaxBytes")) {
    return Error{Errc::unavailable, fmt::format("The server ends the reading: {}.", said)};
  }
  is_next_too_large_ = !has_come_;
  return {};
}

void Listener::take_found(const Message& message) {
  const auto origin = origin_of(message.reply);
  if (!origin || origin->consumer != consumer_) return;
  awaited_ -= std::min<std::size_t>(awaited_, 1);
  has_come_ = true;
  Arrival arrival{.partition = stream_,
                  .at = std::to_string(origin->number),
                  .next = std::to_string(origin->number + 1),
                  .topic = std::string(message.subject),
                  .value = std::string(message.content),
                  .headers = headers_of(message.header)};
  found_.push_back({std::move(arrival), origin->number, origin->left});
}

}  // namespace makegood::nats

#include "tests/unit/server/raw_client.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <array>

#include "makegood/spi/assert.hpp"

namespace makegood::server {

RawClient::RawClient(const std::string& address, int buffered_bytes_max)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const std::size_t colon = address.find(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  MAKEGOOD_ASSERT(inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr) == 1);
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (buffered_bytes_max > 0) {
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUF, &buffered_bytes_max, sizeof buffered_bytes_max);
  }
  MAKEGOOD_ASSERT(::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
}

RawClient RawClient::at_path(const std::string& path) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  path.copy(to.sun_path, sizeof to.sun_path - 1);
  MAKEGOOD_ASSERT(::connect(socket.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  return RawClient(std::move(socket));
}

void RawClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // The other side has had enough; its answer tells why.
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool RawClient::read_more() {
  std::array<char, 65536> bytes;
  const ssize_t count = ::recv(socket_.number(), bytes.data(), bytes.size(), 0);
  if (count > 0) buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

std::string RawClient::read_until(std::string_view text) {
  std::size_t place = buffer_.find(text);
  while (place == std::string::npos) {
    const std::size_t searched = buffer_.size() - std::min(buffer_.size(), text.size());
    if (!read_more()) break;
    place = buffer_.find(text, searched);
  }
  const std::size_t end = place == std::string::npos ? buffer_.size() : place + text.size();
  std::string result = buffer_.substr(0, end);
  buffer_.erase(0, end);
  return result;
}

RawAnswer RawClient::read_answer() {
  RawAnswer answer{.head = read_until("\r\n\r\n")};
  if (!answer.head.starts_with("HTTP/1.1 ")) return answer;
  answer.status = std::stoi(answer.head.substr(9, 3));
  constexpr std::string_view label = "Content-Length: ";
  const std::size_t place = answer.head.find(label);
  if (place == std::string::npos) return answer;
  const std::size_t length = std::stoul(answer.head.substr(place + label.size()));
  while (buffer_.size() < length && read_more()) {
  }
  answer.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return answer;
}

bool RawClient::is_closed() {
  buffer_.clear();
  while (read_more()) buffer_.clear();
  std::array<char, 1> byte{};
  const ssize_t count = ::recv(socket_.number(), byte.data(), byte.size(), MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno == ECONNRESET);
}

RawAnswer RawClient::ask(std::string_view method, std::string_view target, std::string_view body,
                         std::string_view headers) {
  const std::string length = body.empty() ? "" : fmt::format("Content-Length: {}\r\n", body.size());
  const std::string type = body.empty() ? "" : "Content-Type: application/json\r\n";
  send(fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\n{}{}{}\r\n{}", method, target, type, length, headers, body));
  if (method != "HEAD") return read_answer();
  RawAnswer answer{.head = read_until("\r\n\r\n")};
  answer.status = std::stoi(answer.head.substr(9, 3));
  return answer;
}

}  // namespace makegood::server

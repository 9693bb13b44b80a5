#include "tests/zoo/control.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace makegood::testing_support {
namespace {

constexpr timeval patience{.tv_sec = 10, .tv_usec = 0};

class Connection {
 public:
  explicit Connection(const std::string& url) {
    const sockaddr_in address{.sin_family = AF_INET,
                              .sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))),
                              .sin_addr = {htonl(INADDR_LOOPBACK)},
                              .sin_zero = {}};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("cannot reach the zoo at " + url);
    }
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void say(const std::string& words) const {
    if (send(socket_, words.data(), words.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(words.size())) {
      throw std::runtime_error("the zoo does not listen");
    }
  }
  std::string hear_everything() const {
    std::string heard;
    std::array<char, 65'536> piece{};
    for (ssize_t size = 0; (size = recv(socket_, piece.data(), piece.size(), 0)) > 0;) {
      heard.append(piece.data(), static_cast<std::size_t>(size));
    }
    return heard;
  }

 private:
  int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

}  // namespace

std::string ask_control(const std::string& url, const std::string& method, const std::string& path) {
  const Connection connection(url);
  connection.say(method + ' ' + path + " HTTP/1.1\r\nHost: zoo\r\nConnection: close\r\n\r\n");
  const std::string answer = connection.hear_everything();
  const std::size_t end = answer.find("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.1 200 ") || end == std::string::npos) {
    throw std::runtime_error("the zoo answers to " + path + ": " + answer.substr(0, 200));
  }
  return answer.substr(end + 4);
}

}  // namespace makegood::testing_support

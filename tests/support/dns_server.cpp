#include "tests/support/dns_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

namespace makegood::testing_support {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Moment = std::chrono::steady_clock::time_point;

constexpr std::size_t header_bytes = 12;
constexpr std::size_t datagram_bytes_max = 512;
constexpr std::size_t message_bytes_max = 65'535;
constexpr std::uint16_t type_a = 1;
constexpr std::uint16_t type_aaaa = 28;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) throw std::runtime_error("a descriptor of the name server could not be opened");
  }
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::uint16_t number_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}
void append(Bytes& bytes, std::uint32_t number, int count) {
  while (count-- > 0) bytes.push_back(static_cast<std::uint8_t>(number >> 8 * count));
}

struct Question {
  std::uint16_t id = 0;
  std::string name;
  std::uint16_t type = 0;
  Bytes bytes;  ///< Name, type and class, as an answer repeats them.
};

std::optional<Question> parse_question(std::span<const std::uint8_t> message) {
  if (message.size() < header_bytes || number_at(message, 4) != 1) return std::nullopt;
  Question question;
  question.id = number_at(message, 0);
  std::size_t at = header_bytes;
  while (at < message.size() && message[at] != 0) {
    const std::size_t length = message[at++];
    if (length > 63 || at + length > message.size()) return std::nullopt;
    if (!question.name.empty()) question.name += '.';
    question.name.append(message.begin() + static_cast<std::ptrdiff_t>(at),
                         message.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
  }
  if (at + 5 > message.size()) return std::nullopt;
  question.name = lower(std::move(question.name));
  question.type = number_at(message, at + 1);
  const auto rest = message.subspan(header_bytes, at + 5 - header_bytes);
  question.bytes.assign(rest.begin(), rest.end());
  return question;
}

/// The address as a record carries it; empty when it is not of this type.
Bytes record_data(const std::string& address, std::uint16_t type) {
  Bytes data(type == type_a ? 4 : 16);
  const int family = type == type_a ? AF_INET : AF_INET6;
  if ((type != type_a && type != type_aaaa) || ::inet_pton(family, address.c_str(), data.data()) != 1) return {};
  return data;
}

Bytes answers_to(const Question& question, const DnsReply& reply, std::uint16_t& count) {
  Bytes answers;
  for (const std::string& address : reply.addresses) {
    const Bytes data = record_data(address, question.type);
    if (data.empty()) continue;
    append(answers, 0xC00C, 2);  // The name of the question.
    append(answers, question.type, 2);
    append(answers, 1, 2);
    append(answers, reply.ttl_seconds, 4);
    append(answers, static_cast<std::uint32_t>(data.size()), 2);
    answers.insert(answers.end(), data.begin(), data.end());
    ++count;
  }
  return answers;
}

std::uint16_t code_of(DnsReply::Manner manner) {
  using enum DnsReply::Manner;
  switch (manner) {
    case server_failure:
      return 2;
    case no_such_name:
      return 3;
    case answer:
    case silent:
    case silent_on_v6:
    case garbled:
      return 0;
  }
  std::unreachable();
}

Bytes make_message(const Question& question, const DnsReply& reply, std::size_t bytes_max) {
  using enum DnsReply::Manner;
  constexpr std::uint16_t usual_flags = 0x8180;
  constexpr std::uint16_t is_truncated = 0x0200;
  Bytes message;
  append(message, question.id, 2);
  if (reply.manner == garbled) {
    append(message, 0x8180FFFF, 4);
    return message;
  }
  std::uint16_t count = 0;
  const bool is_answer = reply.manner == answer || reply.manner == silent_on_v6;
  Bytes answers = is_answer ? answers_to(question, reply, count) : Bytes{};
  const bool fits = header_bytes + question.bytes.size() + answers.size() <= bytes_max;
  if (!fits) answers.clear();
  append(message, usual_flags | (fits ? 0U : is_truncated) | code_of(reply.manner), 2);
  append(message, 1, 2);
  append(message, fits ? count : 0U, 2);
  append(message, 0, 4);
  message.insert(message.end(), question.bytes.begin(), question.bytes.end());
  message.insert(message.end(), answers.begin(), answers.end());
  return message;
}

bool is_silent(DnsReply::Manner manner, std::uint16_t type) {
  using enum DnsReply::Manner;
  return manner == silent || (manner == silent_on_v6 && type == type_aaaa);
}

sockaddr_in loopback(std::uint16_t port) {
  return {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
}
bool bind_to(const Descriptor& socket, std::uint16_t port) {
  const sockaddr_in address = loopback(port);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}
std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_in address = {};
  socklen_t length = sizeof address;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length);
  return ntohs(address.sin_port);
}

/// What is said about one name, and how often it was asked for.
class Script {
 public:
  explicit Script(std::vector<DnsReply> replies) : replies_(std::move(replies)) {}

  const DnsReply& reply_to(const Question& question) {
    Asked& asked = question.type == type_a ? a_ : others_;
    if (asked.last_id != question.id) ++asked.count;  // Otherwise it is the same question again.
    asked.last_id = question.id;
    return replies_[std::min(asked.count, replies_.size()) - 1];
  }
  std::size_t look_ups() const { return a_.count; }

 private:
  struct Asked {
    std::size_t count = 0;
    std::optional<std::uint16_t> last_id = {};
  };
  std::vector<DnsReply> replies_;
  Asked a_;
  Asked others_;
};

}  // namespace

class DnsServer::Service {
 public:
  Service() {
    constexpr int tries_max = 20;
    for (int tries = 0; !open(); ++tries) {  // Until a port is free for both.
      if (tries == tries_max) throw std::runtime_error("the name server finds no port");
    }
    thread_ = std::thread([this] { run(); });
  }
  ~Service() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
    thread_.join();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  std::uint16_t port() const { return port_; }

  void script(const std::string& name, std::vector<DnsReply> replies) {
    if (replies.empty()) throw std::invalid_argument("a script needs a reply");
    const std::lock_guard lock(mutex_);
    scripts_.insert_or_assign(lower(name), Script(std::move(replies)));
  }
  std::size_t look_ups(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return count_of(name);
  }
  bool await_look_ups(const std::string& name, std::size_t count, std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    return asked_.wait_for(lock, limit, [&] { return count_of(name) >= count; });
  }
  std::size_t tcp_questions() {
    const std::lock_guard lock(mutex_);
    return tcp_questions_;
  }

 private:
  struct Client {
    Descriptor socket;
    Bytes received;
  };

  bool open() {
    udp_ = Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    tcp_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!bind_to(udp_, 0)) return false;
    port_ = port_of(udp_);
    return bind_to(tcp_, port_) && ::listen(tcp_.get(), 64) == 0;
  }

  std::size_t count_of(const std::string& name) const {
    const auto found = scripts_.find(lower(name));
    return found == scripts_.end() ? 0 : found->second.look_ups();
  }

  void run() {
    while (true) {
      std::vector<pollfd> watched = {{stop_.get(), POLLIN, 0}, {udp_.get(), POLLIN, 0}, {tcp_.get(), POLLIN, 0}};
      for (const auto& [id, client] : clients_) watched.push_back({client.socket.get(), POLLIN, 0});
      ::poll(watched.data(), watched.size(), milliseconds_to_next());
      if (watched[0].revents != 0) return;
      send_due();
      if (watched[1].revents != 0) receive_datagram();
      serve_clients(std::span(watched).subspan(3));
      if (watched[2].revents != 0) accept_client();
    }
  }

  int milliseconds_to_next() const {
    if (later_.empty()) return -1;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(later_.begin()->first - Moment::clock::now());
    return static_cast<int>(std::max<std::int64_t>(wait.count(), 0));
  }

  void send_due() {
    while (!later_.empty() && later_.begin()->first <= Moment::clock::now()) {
      later_.begin()->second();
      later_.erase(later_.begin());
    }
  }

  void receive_datagram() {
    std::array<std::uint8_t, datagram_bytes_max> buffer = {};
    sockaddr_in sender = {};
    socklen_t length = sizeof sender;
    const auto count =
        ::recvfrom(udp_.get(), buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&sender), &length);
    if (count <= 0) return;
    const auto send = [this, sender](const Bytes& message) {
      ::sendto(udp_.get(), message.data(), message.size(), 0, reinterpret_cast<const sockaddr*>(&sender),
               sizeof sender);
    };
    reply(std::span(buffer).first(static_cast<std::size_t>(count)), datagram_bytes_max, send);
  }

  void accept_client() {
    const int socket = ::accept4(tcp_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) clients_.emplace(next_client_++, Client{.socket = Descriptor(socket), .received = {}});
  }

  void serve_clients(std::span<const pollfd> watched) {
    auto client = clients_.begin();
    for (const pollfd& one : watched) {
      const bool stays = one.revents == 0 || receive(client->first, client->second);
      client = stays ? std::next(client) : clients_.erase(client);
    }
  }

  bool receive(std::size_t id, Client& client) {
    std::array<std::uint8_t, 4096> buffer = {};
    const auto count = ::recv(client.socket.get(), buffer.data(), buffer.size(), 0);
    if (count <= 0) return false;
    client.received.insert(client.received.end(), buffer.begin(), buffer.begin() + count);
    while (client.received.size() >= 2) {
      const std::size_t length = 2 + std::size_t{number_at(client.received, 0)};
      if (client.received.size() < length) break;
      {
        const std::lock_guard lock(mutex_);
        ++tcp_questions_;
      }
      reply(std::span(client.received).subspan(2, length - 2), message_bytes_max,
            [this, id](const Bytes& message) { send_to_client(id, message); });
      client.received.erase(client.received.begin(), client.received.begin() + static_cast<std::ptrdiff_t>(length));
    }
    return true;
  }

  void send_to_client(std::size_t id, const Bytes& message) {
    const auto client = clients_.find(id);
    if (client == clients_.end()) return;
    Bytes framed;
    append(framed, static_cast<std::uint32_t>(message.size()), 2);
    framed.insert(framed.end(), message.begin(), message.end());
    ::send(client->second.socket.get(), framed.data(), framed.size(), MSG_NOSIGNAL);  // Blocking: all of it, or gone.
  }

  void reply(std::span<const std::uint8_t> message, std::size_t bytes_max, std::function<void(const Bytes&)> send) {
    const std::optional<Question> question = parse_question(message);
    if (!question) return;
    const DnsReply said = reply_to(*question);
    if (is_silent(said.manner, question->type)) return;
    Bytes answer = make_message(*question, said, bytes_max);
    if (said.delay.count() == 0) return send(answer);
    later_.emplace(Moment::clock::now() + said.delay,
                   [send = std::move(send), answer = std::move(answer)] { send(answer); });
  }

  DnsReply reply_to(const Question& question) {
    const std::lock_guard lock(mutex_);
    const auto found = scripts_.find(question.name);
    if (found == scripts_.end()) return {.manner = DnsReply::Manner::no_such_name};
    const DnsReply& reply = found->second.reply_to(question);
    asked_.notify_all();
    return reply;
  }

  Descriptor stop_{::eventfd(0, EFD_CLOEXEC)};
  Descriptor udp_{::eventfd(0, EFD_CLOEXEC)};  // Replaced by `open`.
  Descriptor tcp_{::eventfd(0, EFD_CLOEXEC)};
  std::uint16_t port_ = 0;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable asked_;
  std::map<std::string, Script> scripts_;
  std::size_t tcp_questions_ = 0;

  // Of the thread alone.
  std::map<std::size_t, Client> clients_;
  std::size_t next_client_ = 0;
  std::multimap<Moment, std::function<void()>> later_;

  std::thread thread_;
};

DnsServer::DnsServer() : service_(std::make_unique<Service>()) {}
DnsServer::~DnsServer() = default;

std::string DnsServer::server() const { return "127.0.0.1:" + std::to_string(service_->port()); }
void DnsServer::script(const std::string& name, DnsReply reply) {
  service_->script(name, std::vector{std::move(reply)});
}
void DnsServer::script(const std::string& name, std::vector<DnsReply> replies) {
  service_->script(name, std::move(replies));
}
std::size_t DnsServer::look_ups(const std::string& name) const { return service_->look_ups(name); }
bool DnsServer::await_look_ups(const std::string& name, std::size_t count, std::chrono::milliseconds limit) const {
  return service_->await_look_ups(name, count, limit);
}
std::size_t DnsServer::tcp_questions() const { return service_->tcp_questions(); }

}  // namespace makegood::testing_support

#include "transports/redis/text_cache.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.hpp"
#include "transports/redis/resp.hpp"

namespace makegood::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 2s;
constexpr std::string_view scheme_of_caches = "redis://";

Error away(std::string_view what) { return {Errc::unavailable, "Redis is away.", std::string(what)}; }
Error away() { return away(std::strerror(errno)); }

struct FreeAddresses {
  void operator()(addrinfo* all) const { ::freeaddrinfo(all); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> addresses_of(const CacheAddress& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
  if (failure != 0) return away(::gai_strerror(failure));
  return Addresses(found);
}

/// Connecting, sending and receiving end after a while.
void limit_times(int socket) {
  const timeval limit{.tv_sec = patience.count(), .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // On Linux also of connect().
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

Result<Descriptor> connect_to(const CacheAddress& address) {
  const Addresses all = MAKEGOOD_TRY(addresses_of(address));
  for (const addrinfo* each = all.get(); each != nullptr; each = each->ai_next) {
    Descriptor socket(::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol));
    if (!socket) continue;
    limit_times(socket.number());
    if (::connect(socket.number(), each->ai_addr, each->ai_addrlen) == 0) return socket;
  }
  return away();
}

class RedisCache final : public TextCache {
 public:
  explicit RedisCache(CacheAddress address) : address_(std::move(address)) {}

  /// A connection that was idle may be closed by now, which is noticed only when it is used.
  Result<> put(std::span<const CachedText> texts, Duration kept_for) override {
    const bool was_connected = static_cast<bool>(socket_);
    auto stored = try_to_put(texts, kept_for);
    if (!stored && was_connected) stored = try_to_put(texts, kept_for);
    return stored;
  }

 private:
  Result<> try_to_put(std::span<const CachedText> texts, Duration kept_for) {
    if (!socket_) MAKEGOOD_TRY(connect());
    const std::string lasts =
        fmt::format("{}", std::chrono::duration_cast<std::chrono::milliseconds>(kept_for).count());
    std::string commands;
    for (const CachedText& each : texts) append_command(commands, {"SET", each.key, each.text, "PX", lasts});
    return exchange(commands, texts.size());
  }

  Result<> connect() {
    socket_ = MAKEGOOD_TRY(connect_to(address_));
    std::string commands;
    if (address_.user.empty() && !address_.password.empty()) append_command(commands, {"AUTH", address_.password});
    if (!address_.user.empty()) append_command(commands, {"AUTH", address_.user, address_.password});
    append_command(commands, {"SELECT", address_.database});
    return exchange(commands, address_.password.empty() && address_.user.empty() ? 1 : 2);
  }

  /// After an error nobody knows which answer belongs to what: the connection is dropped.
  Result<> exchange(std::string_view commands, std::size_t answers) {
    auto done = send(commands);
    if (done) done = receive(answers);
    if (!done) socket_ = Descriptor();
    return done;
  }

  Result<> send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return away();
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
  }

  Result<> receive(std::size_t answers) {
    std::string bytes;
    std::array<char, 4096> buffer = {};
    while (answers > 0) {
      const ssize_t count = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return count == 0 ? away("It has closed the connection.") : away();
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
      MAKEGOOD_TRY(take_answers(bytes, answers));
    }
    return {};
  }

  static Result<> take_answers(std::string& bytes, std::size_t& answers) {
    while (answers > 0) {
      const auto parsed = MAKEGOOD_TRY(parse_value(bytes));
      if (!parsed) return {};
      if (parsed->value.kind == Value::Kind::error) return away(parsed->value.text);
      bytes.erase(0, parsed->bytes);
      --answers;
    }
    return {};
  }

  const CacheAddress address_;
  Descriptor socket_;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<CacheAddress> checked(CacheAddress address) {
  if (!address.host.empty() && is_number(address.port) && is_number(address.database)) return address;
  return Error{Errc::invalid, "The address of a Redis is like redis://USER:PASSWORD@HOST:6379/0."};
}

/// HOST, HOST:PORT or [IPv6]:PORT.
void read_place(std::string_view place, CacheAddress& address) {
  const std::size_t bracket = place.starts_with('[') ? place.find(']') : std::string_view::npos;
  const std::size_t colon = place.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) address.port = place.substr(colon + 1);
  address.host = bracket == std::string_view::npos ? place.substr(0, colon) : place.substr(1, bracket - 1);
}

}  // namespace

Result<CacheAddress> read_cache_address(std::string_view url) {
  CacheAddress address;
  if (!url.starts_with(scheme_of_caches)) return checked({});
  url.remove_prefix(scheme_of_caches.size());
  if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = url.substr(0, at);
    address.user = who.substr(0, who.find(':'));
    if (const std::size_t colon = who.find(':'); colon != std::string_view::npos)
      address.password = who.substr(colon + 1);
    url.remove_prefix(at + 1);
  }
  const std::size_t slash = url.find('/');
  if (slash != std::string_view::npos && slash + 1 < url.size()) address.database = url.substr(slash + 1);
  read_place(url.substr(0, slash), address);
  return checked(std::move(address));
}

std::unique_ptr<TextCache> new_text_cache(CacheAddress address) {
  return std::make_unique<RedisCache>(std::move(address));
}

}  // namespace makegood::redis

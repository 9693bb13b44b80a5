#include "transports/broker/stream.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace makegood::broker {
namespace {

/// What the other side has not acknowledged for so long is on a dead network.
constexpr int unacknowledged_max_ms = 15'000;
constexpr std::size_t part_bytes = std::size_t{64} << 10;
constexpr std::size_t read_at_once_max = std::size_t{1} << 20;

std::string reason_of(int error) { return std::generic_category().message(error); }

Error lost(std::string message) { return {Errc::unavailable, std::move(message)}; }

/// The oldest of OpenSSL's errors is the cause. The others of this thread are dropped with it.
std::string tls_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "the connection ended" : reason;
}

void set_option(int socket, int level, int name, int value) {
  ::setsockopt(socket, level, name, &value, sizeof value);  // Each is a comfort, none a need.
}

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;
};

SocketAddress socket_address(const net::Address& address, std::uint16_t port) {
  SocketAddress result;
  if (address.is_v6) {
    sockaddr_in6 v6 = {};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, address.bytes.data(), sizeof v6.sin6_addr);
    std::memcpy(&result.storage, &v6, sizeof v6);
    result.size = sizeof v6;
  } else {
    sockaddr_in v4 = {};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.bytes.data(), sizeof v4.sin_addr);
    std::memcpy(&result.storage, &v4, sizeof v4);
    result.size = sizeof v4;
  }
  return result;
}

/// What the macro SSL_set_tlsext_host_name does, without its cast.
bool set_server_name(SSL& tls, std::string host) {
  return SSL_ctrl(&tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data()) == 1;
}

Error bad_file(std::string_view setting) {
  return {Errc::config_invalid, fmt::format("The file of `{}` cannot be used: {}.", setting, tls_reason())};
}

}  // namespace

Result<TlsContext> new_tls_context(const Access& access) {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return Error{Errc::unavailable, "TLS could not be set up."};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const bool has_trust = access.ca_file.empty()
                             ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                             : SSL_CTX_load_verify_locations(context.get(), access.ca_file.c_str(), nullptr) == 1;
  if (!has_trust) return bad_file("ca_file");
  if (access.client_certificate.empty()) return context;
  if (SSL_CTX_use_certificate_chain_file(context.get(), access.client_certificate.c_str()) != 1) {
    return bad_file("client_certificate");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), access.client_key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return bad_file("client_key");
  }
  return context;
}

Result<Stream> Stream::connect(const net::Address& address, std::uint16_t port) {
  const SocketAddress to = socket_address(address, port);
  Stream stream(Descriptor(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
  if (!stream.socket_) return lost(fmt::format("No socket could be opened: {}.", reason_of(errno)));
  const int socket = stream.descriptor();
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, unacknowledged_max_ms);
  const int result = ::connect(socket, reinterpret_cast<const sockaddr*>(&to.storage), to.size);
  if (result != 0 && errno != EINPROGRESS) return lost(fmt::format("{}.", reason_of(errno)));
  return stream;
}

net::Interest Stream::interest(bool has_more) const {
  return {.read = !is_connecting_, .write = is_connecting_ || wants_write_ || has_more};
}

Result<> Stream::connected() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket_.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return lost(fmt::format("{}.", reason_of(error)));
  is_connecting_ = false;
  return {};
}

Result<> Stream::start_tls(SSL_CTX& context, const std::string& host) {
  tls_.reset(SSL_new(&context));
  if (tls_ == nullptr || SSL_set_fd(tls_.get(), socket_.number()) != 1) return lost("TLS could not be set up.");
  const bool is_address = net::parse_address(host).has_value();
  const bool is_set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_.get()), host.c_str()) == 1
                                 : SSL_set1_host(tls_.get(), host.c_str()) == 1 && set_server_name(*tls_, host);
  if (!is_set) return lost("TLS could not be set up for the server's name.");
  SSL_set_connect_state(tls_.get());
  return {};
}

Result<bool> Stream::tls_progress(int result) {
  const int error = SSL_get_error(tls_.get(), result);
  wants_write_ = error == SSL_ERROR_WANT_WRITE;
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return false;
  if (const long verified = SSL_get_verify_result(tls_.get()); verified != X509_V_OK) {
    ERR_clear_error();
    return lost(fmt::format("The server's certificate is not accepted: {}.", X509_verify_cert_error_string(verified)));
  }
  if (error == SSL_ERROR_ZERO_RETURN) return lost("The server has ended the connection.");
  return lost(fmt::format("TLS failed: {}.", tls_reason()));
}

Result<bool> Stream::shake_hands() {
  ERR_clear_error();
  const int result = SSL_do_handshake(tls_.get());
  wants_write_ = false;
  if (result == 1) return true;
  return tls_progress(result);
}

Result<std::size_t> Stream::write(std::string_view bytes) {
  if (tls_ != nullptr) {
    ERR_clear_error();
    std::size_t written = 0;
    const int result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &written);
    wants_write_ = false;
    if (result == 1) return written;
    MAKEGOOD_TRY(tls_progress(result));
    return std::size_t{0};
  }
  const ssize_t written = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (written >= 0) return static_cast<std::size_t>(written);
  if (errno == EAGAIN || errno == EINTR) return std::size_t{0};
  return lost(fmt::format("{}.", reason_of(errno)));
}

Result<> Stream::read(std::string& bytes) {
  std::array<char, part_bytes> part;
  for (std::size_t total = 0; total < read_at_once_max || (tls_ != nullptr && SSL_pending(tls_.get()) > 0);) {
    std::size_t count = 0;
    if (tls_ != nullptr) {
      ERR_clear_error();
      const int result = SSL_read_ex(tls_.get(), part.data(), part.size(), &count);
      if (result != 1) {
        MAKEGOOD_TRY(tls_progress(result));
        return {};
      }
    } else {
      const ssize_t result = ::recv(socket_.number(), part.data(), part.size(), 0);
      if (result < 0 && (errno == EAGAIN || errno == EINTR)) return {};
      if (result < 0) return lost(fmt::format("{}.", reason_of(errno)));
      if (result == 0) return lost("The server has ended the connection.");
      count = static_cast<std::size_t>(result);
    }
    bytes.append(part.data(), count);
    total += count;
  }
  return {};
}

}  // namespace makegood::broker

// A connection to a server: TCP that never blocks, and TLS on top of it where it is asked for. One thread at a time.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "makegood/result.hpp"
#include "transports/broker/target.hpp"
#include "transports/net/address.hpp"
#include "transports/net/poller.hpp"

namespace makegood::broker {

struct FreeContext {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeContext>;
/// Certificates are always checked: against the files of `access`, or against what the system trusts.
Result<TlsContext> new_tls_context(const Access& access);

class Stream {
 public:
  /// Begins to connect to this address and no other.
  static Result<Stream> connect(const net::Address& address, std::uint16_t port);

  int descriptor() const { return socket_.number(); }
  /// What it waits for; writing only while `has_more` to write.
  net::Interest interest(bool has_more) const;

  /// To be asked when it is first writable. The error says why nobody is there.
  Result<> connected();
  /// From now on everything goes through TLS, to somebody who proves to be `host`.
  Result<> start_tls(SSL_CTX& context, const std::string& host);
  /// True once it is done.
  Result<bool> shake_hands();

  /// How much of it was handed over; 0: nothing can be for now.
  Result<std::size_t> write(std::string_view bytes);
  /// Appends what there is. An error also when the server has ended the connection.
  Result<> read(std::string& bytes);

 private:
  struct FreeTls {
    void operator()(SSL* tls) const noexcept { SSL_free(tls); }
  };
  explicit Stream(Descriptor socket) : socket_(std::move(socket)) {}
  Result<bool> tls_progress(int result);

  Descriptor socket_;
  std::unique_ptr<SSL, FreeTls> tls_ = {};
  bool is_connecting_ = true;
  bool wants_write_ = false;  ///< TLS has something to say of its own.
};

}  // namespace makegood::broker

// Takes connections, up to so many.
#pragma once

#include "server/address.hpp"
#include "server/beast.hpp"
#include "server/site.hpp"

namespace makegood::server {

class Listener {
 public:
  explicit Listener(net::io_context& io, Site& site);
  Result<Address> bind(const Address& address);
  void begin();
  void close();

 private:
  void take(Socket socket);
  void rest();

  net::io_context& io_;
  Site& site_;
  net::basic_socket_acceptor<net::ip::tcp, Executor> acceptor_;
  net::steady_timer pause_;
};

}  // namespace makegood::server

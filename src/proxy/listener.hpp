// Takes connections of clients, up to so many.
#pragma once

#include "proxy/site.hpp"
#include "server/address.hpp"

namespace makegood::proxy {

class Listener {
 public:
  Listener(net::io_context& io, bool is_admin) : io_(io), acceptor_(io), pause_(io), is_admin_(is_admin) {}
  /// With the port that the system chose.
  Result<server::Address> bind(const std::string& address);
  /// `site` must outlive it.
  void begin(Site& site);
  void close();

 private:
  void admit(Socket socket, Site& site);
  void rest(Site& site);

  net::io_context& io_;
  net::basic_socket_acceptor<Tcp, server::Executor> acceptor_;
  net::steady_timer pause_;
  const bool is_admin_;
};

}  // namespace makegood::proxy

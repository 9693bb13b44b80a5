// Takes connections, up to so many.
#pragma once

#include <string>

#include "server/address.hpp"
#include "server/beast.hpp"
#include "server/site.hpp"

namespace makegood::server {

class Listener {
 public:
  explicit Listener(net::io_context& io, Site& site);
  Result<Address> bind(const Address& address);
  /// A socket in a folder, for us and root alone. What is there is taken away: it is of one that has ended.
  Result<> bind_path(const std::string& path);
  void begin();
  void close();

 private:
  void take(Socket socket);
  void admit(Socket socket, std::string user);
  void rest();

  net::io_context& io_;
  Site& site_;
  net::basic_socket_acceptor<Stream, Executor> acceptor_;
  std::string path_;  ///< Empty: it is an address.
  net::steady_timer pause_;
};

}  // namespace makegood::server

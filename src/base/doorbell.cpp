#include <sys/socket.h>

#include <optional>

#include "base/descriptor.hpp"
#include "base/socket_path.hpp"
#include "makegood/dispatcher.hpp"

namespace makegood {

class Doorbell::Wire {
 public:
  explicit Wire(const std::string& path)
      : address(SocketPath::from(path)), socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}

  std::optional<SocketPath> address;  ///< Nothing: the path is too long for a socket, and nobody listens there.
  Descriptor socket;
};

Doorbell::Doorbell(const std::string& path) : wire_(std::make_unique<Wire>(path)) {}
Doorbell::~Doorbell() = default;
Doorbell::Doorbell(Doorbell&&) noexcept = default;
Doorbell& Doorbell::operator=(Doorbell&&) noexcept = default;

/// A bell whose wire is full has been rung and not been heard yet: once is enough.
void Doorbell::ring() const noexcept {
  if (!wire_->address || !wire_->socket) return;
  ::sendto(wire_->socket.number(), "", 0, MSG_NOSIGNAL, wire_->address->get(), SocketPath::size());
}

}  // namespace makegood

// Where producers on this machine ring when they have committed: a datagram socket beside the database.
#pragma once

#include <string>
#include <utility>

#include "base/descriptor.hpp"
#include "makegood/result.hpp"

namespace makegood::daemon {

class DoorbellSocket {
 public:
  /// Takes the place of one that nobody listens at any more. Whoever may enter its folder may ring.
  static Result<DoorbellSocket> open(const std::string& path);
  DoorbellSocket() = default;  ///< Is never rung.
  ~DoorbellSocket();
  DoorbellSocket(DoorbellSocket&& other) noexcept;
  DoorbellSocket& operator=(DoorbellSocket&& other) noexcept;

  /// Readable when somebody has rung; -1: there is none.
  int descriptor() const { return socket_.number(); }
  /// Whether somebody has rung since the last time, however often.
  bool was_rung() const;

 private:
  DoorbellSocket(std::string path, Descriptor socket) : path_(std::move(path)), socket_(std::move(socket)) {}

  std::string path_;  ///< Empty: there is no file to remove.
  Descriptor socket_;
};

}  // namespace makegood::daemon

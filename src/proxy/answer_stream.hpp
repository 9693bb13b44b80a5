// An answer on its way to a client, piece by piece, in the form that the client understands.
#pragma once

#include <memory>
#include <string>

#include "proxy/heads.hpp"
#include "proxy/upstream.hpp"

namespace makegood::proxy {

class Connection;

class AnswerStream {
 public:
  /// `extra` headers come behind those of the upstream.
  AnswerStream(std::shared_ptr<Connection> client, std::shared_ptr<UpstreamCall> call, const AnswerHead& head,
               const Headers& extra = {});
  /// More is asked of the upstream when it is written.
  void pass(std::string body, bool is_end);
  void cut();

 private:
  std::shared_ptr<Connection> client_;
  std::shared_ptr<UpstreamCall> call_;
  const int status_;
  Framing::Kind framing_;
  std::string text_;  ///< The head, until it is written.
};

}  // namespace makegood::proxy

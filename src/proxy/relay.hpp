// A request without a key: passed on as it comes, and its answer too. Neither is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/answer_stream.hpp"
#include "proxy/site.hpp"

namespace makegood::proxy {

class Connection;

class Relay final : public AnswerSink, public std::enable_shared_from_this<Relay> {
 public:
  Relay(Site& site, std::shared_ptr<Connection> client) : site_(site), client_(std::move(client)) {}

  void begin(const RequestHead& head, const Framing& framing, std::string body, bool is_whole);
  /// More of the body.
  void send(std::string piece, bool is_end);
  /// The client has gone.
  void cancel();

  void came(Part part) override;
  void failed(Ending::Kind why) override;

 private:
  std::string framed(std::string piece, bool is_end) const;

  Site& site_;
  std::shared_ptr<Connection> client_;  ///< Null: it has ended.
  std::shared_ptr<UpstreamCall> call_;
  std::optional<AnswerStream> stream_;
  bool has_chunks_ = false;
};

}  // namespace makegood::proxy

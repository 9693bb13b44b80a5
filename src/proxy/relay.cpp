#include "proxy/relay.hpp"

#include "proxy/connection.hpp"
#include "proxy/refusals.hpp"

namespace makegood::proxy {

void Relay::begin(const RequestHead& head, const Framing& framing, std::string body, bool is_whole) {
  has_chunks_ = framing.kind == Framing::Kind::chunks;
  call_ = std::make_shared<UpstreamCall>(
      site_.upstream, shared_from_this(),
      UpstreamCall::Limits{.silence = site_.options.silence_timeout, .is_head = head.method == "HEAD"});
  std::string text = request_text(head, framing, false) + framed(std::move(body), is_whole);
  call_->begin(std::move(text), is_whole, [client = client_] { client->want_body(); });
}

std::string Relay::framed(std::string piece, bool is_end) const {
  if (!has_chunks_) return piece;
  std::string text = piece.empty() ? std::string() : chunk_of(piece);
  if (is_end) text += last_chunk;
  return text;
}

void Relay::send(std::string piece, bool is_end) {
  if (!client_) return;
  call_->write(framed(std::move(piece), is_end), is_end, [client = client_] { client->want_body(); });
}

void Relay::cancel() {
  if (call_) call_->cancel();
  client_.reset();
  stream_.reset();
}

void Relay::came(Part part) {
  if (!client_) return;
  if (part.head) {
    site_.figures.ended(Ending::Kind::answered);
    stream_.emplace(client_, call_, *part.head);
  }
  stream_->pass(std::move(part.body), part.is_end);
}

void Relay::failed(Ending::Kind why) {
  const auto client = client_;
  if (!client) return;
  if (stream_) return stream_->cut();
  site_.figures.ended(why);
  client->answer_problem(no_answer(why, false));
}

}  // namespace makegood::proxy

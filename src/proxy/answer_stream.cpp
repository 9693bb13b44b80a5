#include "proxy/answer_stream.hpp"

#include "proxy/connection.hpp"

namespace makegood::proxy {
namespace {

/// By its length where that is known; in chunks, or up to the end of the connection, where it is not.
Framing framing_for(const Connection& client, const AnswerHead& head) {
  if (head.length && (has_body(head.status) || head.status == 304)) return {Framing::Kind::length, *head.length};
  const bool is_chunked = has_body(head.status) && !client.is_head() && client.knows_chunks();
  return {is_chunked ? Framing::Kind::chunks : Framing::Kind::none};
}

}  // namespace

AnswerStream::AnswerStream(std::shared_ptr<Connection> client, std::shared_ptr<UpstreamCall> call,
                           const AnswerHead& head, const Headers& extra)
    : client_(std::move(client)), call_(std::move(call)), status_(head.status) {
  const Framing framing = framing_for(*client_, head);
  framing_ = framing.kind;
  Headers headers = end_to_end(head.headers);
  headers.insert(headers.end(), extra.begin(), extra.end());
  text_ = answer_text(head.status, head.reason, headers, {.framing = framing, .is_last = client_->is_last()});
}

void AnswerStream::pass(std::string body, bool is_end) {
  std::string text = std::exchange(text_, {});
  if (framing_ != Framing::Kind::chunks) text += body;
  if (framing_ == Framing::Kind::chunks && !body.empty()) text += chunk_of(body);
  if (framing_ == Framing::Kind::chunks && is_end) text += last_chunk;
  client_->write_part(std::move(text), [client = client_, call = call_, status = status_, is_end] {
    is_end ? client->end_parts(status, false) : call->resume();
  });
}

void AnswerStream::cut() { client_->end_parts(status_, true); }

}  // namespace makegood::proxy

// One request with a key: claimed, forwarded, answered as a whole, settled, and only then told. It lives on when its
// client has gone.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/call.hpp"
#include "proxy/answer_stream.hpp"
#include "proxy/site.hpp"
#include "proxy/stored_answer.hpp"

namespace makegood::proxy {

struct KeyedRequest {
  const Route& route;
  std::string key;
  RequestHead head;
  std::string body;
  MonotonicTime began;
};

class KeyedExchange final : public AnswerSink, public std::enable_shared_from_this<KeyedExchange> {
 public:
  KeyedExchange(Site& site, std::shared_ptr<Connection> client, KeyedRequest request);
  ~KeyedExchange() override;
  KeyedExchange(const KeyedExchange&) = delete;
  KeyedExchange& operator=(const KeyedExchange&) = delete;

  void begin();

  void came(Part part) override;
  void failed(Ending::Kind why) override;

 private:
  void claimed(Result<ClaimTask::Claimed> claimed);
  void forward();
  void replay(const StoredResult& stored);
  void settle(Fate fate, const Ending& ending);
  void settled(Fate fate, const Result<>& result);
  /// The answer is too long to be read whole: its key is settled by its head, then it is passed on as it comes.
  void begin_stream();
  void tell(const api::Answer& problem);
  void tell(const WholeAnswer& answer);
  void tell_answer(std::string_view status_word);
  void note_doubt(std::string_view because) const;

  Site& site_;
  const std::shared_ptr<Connection> client_;
  KeyedRequest request_;
  IdempotencyKey key_;
  HeldClaim held_;
  std::shared_ptr<UpstreamCall> call_;
  AnswerHead head_;
  std::string body_;
  Ending ending_;
  std::optional<AnswerStream> stream_;
};

}  // namespace makegood::proxy

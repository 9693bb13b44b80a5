// Redis Streams, by hiredis.
#include <hiredis/hiredis.h>

#include <algorithm>

#include "bench/broker/broker.hpp"
#include "makegood/brokers.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr const char* stream = "bench";

struct FreeContext {
  void operator()(redisContext* context) const noexcept { redisFree(context); }
};
struct FreeReply {
  void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};
using Context = std::unique_ptr<redisContext, FreeContext>;
using ReplyPtr = std::unique_ptr<redisReply, FreeReply>;
using Words = std::vector<std::string>;

Context connect_to(const std::string& url) {
  Context context(redisConnect("127.0.0.1", port_in(url)));
  MAKEGOOD_ASSERT(context != nullptr && context->err == 0);
  return context;
}

void append(redisContext& context, const Words& words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  const auto count = static_cast<int>(words.size());
  MAKEGOOD_ASSERT(redisAppendCommandArgv(&context, count, texts.data(), sizes.data()) == REDIS_OK);
}

ReplyPtr reply_of(redisContext& context) {
  void* reply = nullptr;
  MAKEGOOD_ASSERT(redisGetReply(&context, &reply) == REDIS_OK);
  ReplyPtr kept(static_cast<redisReply*>(reply));
  MAKEGOOD_ASSERT(kept->type != REDIS_REPLY_ERROR);
  return kept;
}

ReplyPtr ask(redisContext& context, const Words& words) {
  append(context, words);
  return reply_of(context);
}

class RedisReader final : public Reader {
 public:
  explicit RedisReader(const std::string& url) : context_(connect_to(url)) {
    const ReplyPtr last = ask(*context_, {"XREVRANGE", stream, "+", "-", "COUNT", "1"});
    if (last->elements == 1) last_ = last->element[0]->element[0]->str;
  }
  std::optional<std::string> next() override {
    if (place_ == entry_count()) {
      entries_ = ask(*context_, {"XREAD", "COUNT", "1000", "BLOCK", "100", "STREAMS", stream, last_});
      place_ = 0;
    }
    if (place_ == entry_count()) return std::nullopt;
    const redisReply& entry = *entries_->element[0]->element[1]->element[place_++];
    last_ = entry.element[0]->str;
    const redisReply& fields = *entry.element[1];
    for (std::size_t i = 0; i + 1 < fields.elements; i += 2) {
      if (std::string_view(fields.element[i]->str) == "event_id") return fields.element[i + 1]->str;
    }
    return "";
  }

 private:
  std::size_t entry_count() const {
    return entries_ == nullptr || entries_->elements == 0 ? 0 : entries_->element[0]->element[1]->elements;
  }

  Context context_;
  std::string last_ = "0-0";
  ReplyPtr entries_;
  std::size_t place_ = 0;
};

class RedisBroker final : public Broker {
 public:
  explicit RedisBroker(std::string url) : url_(std::move(url)), context_(connect_to(url_)) {
    words_ = {"XADD", stream, "*", "data", content_like_ours()};
    for (const auto& [name, value] : headers_like_ours("")) {
      words_.push_back(name);
      words_.push_back(value);
    }
  }

  void renew() override { ask(*context_, {"FLUSHALL"}); }
  Destination destination(Destination others) const override {
    return redis_destination("bench", {.access = {.servers = {url_}}, .stream = stream}, std::move(others)).value();
  }
  std::unique_ptr<Transport> transport() const override { return new_redis_transport().value(); }
  void send_bare(std::size_t count, std::size_t in_flight) override {
    std::size_t sent = 0;
    for (std::size_t answered = 0; answered < count; ++answered) {
      while (sent < std::min(count, answered + in_flight)) {
        append(*context_, words_);
        ++sent;
      }
      reply_of(*context_);
    }
  }
  std::size_t stored() override { return static_cast<std::size_t>(ask(*context_, {"XLEN", stream})->integer); }
  std::unique_ptr<Reader> reader() override { return std::make_unique<RedisReader>(url_); }

 private:
  const std::string url_;
  Context context_;
  Words words_;
};

}  // namespace

std::unique_ptr<Broker> open_redis(const std::string& url) { return std::make_unique<RedisBroker>(url); }

}  // namespace makegood::bench

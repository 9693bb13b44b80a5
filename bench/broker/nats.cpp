// NATS JetStream, by cnats.
#include <nats/nats.h>

#include "bench/broker/broker.hpp"
#include "makegood/brokers.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr const char* stream = "BENCH";
constexpr const char* subject = "bench.evt";

void must(natsStatus status) { MAKEGOOD_ASSERT(status == NATS_OK); }

class NatsReader final : public Reader {
 public:
  explicit NatsReader(const std::string& url) {
    must(natsConnection_ConnectTo(&connection_, url.c_str()));
    must(natsConnection_JetStream(&context_, connection_, nullptr));
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = stream;
    options.Ordered = true;
    options.Config.DeliverPolicy = js_DeliverNew;
    must(js_SubscribeSync(&subscription_, context_, subject, nullptr, &options, nullptr));
    natsSubscription_SetPendingLimits(subscription_, -1, -1);
  }
  ~NatsReader() override {
    natsSubscription_Destroy(subscription_);
    jsCtx_Destroy(context_);
    natsConnection_Destroy(connection_);
  }
  std::optional<std::string> next() override {
    natsMsg* message = nullptr;
    if (natsSubscription_NextMsg(&message, subscription_, 100) != NATS_OK) return std::nullopt;
    const char* value = nullptr;
    const bool has_it = natsMsgHeader_Get(message, "event_id", &value) == NATS_OK;
    std::string event_id = has_it ? value : "";
    natsMsg_Destroy(message);
    return event_id;
  }

 private:
  natsConnection* connection_ = nullptr;
  jsCtx* context_ = nullptr;
  natsSubscription* subscription_ = nullptr;
};

class NatsBroker final : public Broker {
 public:
  explicit NatsBroker(std::string url) : url_(std::move(url)), headers_(headers_like_ours("ce-")) {
    must(natsConnection_ConnectTo(&connection_, url_.c_str()));
    open_context(1);
    js_DeleteStream(context_, stream, nullptr, nullptr);
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    const char* subjects[] = {"bench.>"};
    config.Name = stream;
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    must(js_AddStream(nullptr, context_, &config, nullptr, nullptr));
  }
  ~NatsBroker() override {
    jsCtx_Destroy(context_);
    natsConnection_Destroy(connection_);
  }

  void renew() override { must(js_PurgeStream(context_, stream, nullptr, nullptr)); }
  Destination destination(Destination others) const override {
    return nats_destination("bench", {.access = {.servers = {url_}}, .subject = subject}, std::move(others)).value();
  }
  std::unique_ptr<Transport> transport() const override { return new_nats_transport().value(); }
  void send_bare(std::size_t count, std::size_t in_flight) override {
    if (in_flight != in_flight_) open_context(in_flight);
    for (std::size_t i = 0; i < count; ++i) publish(event_id_like_ours(++published_));
    must(js_PublishAsyncComplete(context_, nullptr));
  }
  std::size_t stored() override {
    jsStreamInfo* info = nullptr;
    must(js_GetStreamInfo(&info, context_, stream, nullptr, nullptr));
    const std::size_t count = info->State.Msgs;
    jsStreamInfo_Destroy(info);
    return count;
  }
  std::unique_ptr<Reader> reader() override { return std::make_unique<NatsReader>(url_); }

 private:
  void open_context(std::size_t in_flight) {
    jsCtx_Destroy(context_);
    jsOptions options;
    jsOptions_Init(&options);
    options.PublishAsync.MaxPending = static_cast<std::int64_t>(in_flight);
    options.PublishAsync.StallWait = 30'000;
    must(natsConnection_JetStream(&context_, connection_, &options));
    in_flight_ = in_flight;
  }
  void publish(const std::string& event_id) {
    const std::string& content = content_like_ours();
    natsMsg* message = nullptr;
    must(natsMsg_Create(&message, subject, nullptr, content.data(), static_cast<int>(content.size())));
    for (const auto& [name, value] : headers_) must(natsMsgHeader_Set(message, name.c_str(), value.c_str()));
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MsgId = event_id.c_str();  // As ours: what is repeated is not stored again.
    must(js_PublishMsgAsync(context_, &message, &options));
  }

  const std::string url_;
  const Headers headers_;
  natsConnection* connection_ = nullptr;
  jsCtx* context_ = nullptr;
  std::size_t in_flight_ = 0;
  std::size_t published_ = 0;
};

}  // namespace

std::unique_ptr<Broker> open_nats(const std::string& url) { return std::make_unique<NatsBroker>(url); }

}  // namespace makegood::bench

#include "tests/conformance/transports/nats_server.hpp"

#include <fstream>
#include <stdexcept>

namespace makegood::conformance {
namespace {

using testing_support::ServerProcess;

std::vector<std::string> command_in(const testing_support::TemporaryFolder& folder, const std::string& settings,
                                    std::uint16_t port) {
  std::ofstream(folder.file("nats.conf"))
      << "host: 127.0.0.1\nport: " << port << "\njetstream { store_dir: \"" << folder.file("js") << "\" }\n"
      << settings << '\n';
  return {testing_support::path_of_program("nats-server"), "-c", folder.file("nats.conf")};
}

testing_support::ServerProcess process_in(const testing_support::TemporaryFolder& folder, const std::string& settings) {
  const std::uint16_t port = testing_support::free_port();
  return ServerProcess(command_in(folder, settings, port), port, folder.file("log"));
}

}  // namespace

void must(natsStatus status, const char* what) {
  if (status != NATS_OK) throw std::runtime_error(std::string(what) + ": " + natsStatus_GetText(status));
}

std::string header_in(natsMsg& message, const std::string& name) {
  const char* value = nullptr;
  return natsMsgHeader_Get(&message, name.c_str(), &value) == NATS_OK ? std::string(value) : std::string();
}

NatsServer::NatsServer(const std::string& settings) : process_(process_in(folder_, settings)) { process_.start(); }

NatsServer& NatsServer::shared() {
  static NatsServer server;
  return server;
}

std::string NatsServer::url(std::uint16_t port) const {
  return "nats://127.0.0.1:" + std::to_string(port != 0 ? port : process_.port());
}

NatsClient::NatsClient(const std::string& url) {
  must(natsConnection_ConnectTo(&connection_, url.c_str()), "connect");
  must(natsConnection_JetStream(&context_, connection_, nullptr), "JetStream");
}

NatsClient::~NatsClient() {
  jsCtx_Destroy(context_);
  natsConnection_Destroy(connection_);
}

void NatsClient::make_stream(const std::string& name, const std::string& subjects,
                             std::int64_t message_bytes_max) const {
  js_DeleteStream(context_, name.c_str(), nullptr, nullptr);
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  config.Name = name.c_str();
  const char* list[] = {subjects.c_str()};
  config.Subjects = list;
  config.SubjectsLen = 1;
  config.MaxMsgSize = static_cast<std::int32_t>(message_bytes_max);
  must(js_AddStream(nullptr, context_, &config, nullptr, nullptr), "make a stream");
}

void NatsClient::purge(const std::string& stream) const {
  must(js_PurgeStream(context_, stream.c_str(), nullptr, nullptr), "purge a stream");
}

std::uint64_t NatsClient::messages_in(const std::string& stream) const {
  jsStreamInfo* info = nullptr;
  must(js_GetStreamInfo(&info, context_, stream.c_str(), nullptr, nullptr), "look at a stream");
  const std::uint64_t count = info->State.Msgs;
  jsStreamInfo_Destroy(info);
  return count;
}

std::vector<std::string> NatsClient::header_of_all(const std::string& stream, const std::string& name) const {
  std::vector<std::string> values;
  const std::uint64_t count = messages_in(stream);
  natsSubscription* reader = nullptr;
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = stream.c_str();
  options.Ordered = true;
  must(js_SubscribeSync(&reader, context_, (stream + ".>").c_str(), nullptr, &options, nullptr), "read a stream");
  while (values.size() < count) {
    natsMsg* message = nullptr;
    must(natsSubscription_NextMsg(&message, reader, 10'000), "the next message");
    values.push_back(header_in(*message, name));
    natsMsg_Destroy(message);
  }
  natsSubscription_Destroy(reader);
  return values;
}

}  // namespace makegood::conformance

// A server on a store in memory, and what it tells its process.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "makegood/spi/assert.hpp"
#include "makegood/spi/registry.hpp"
#include "server/server.hpp"
#include "tests/support/event.hpp"
#include "tests/unit/server/raw_client.hpp"

namespace makegood::server {

inline constexpr const char* messages_path = "/api/outboxes/makegood_outbox/messages";
inline constexpr const char* small_message = R"({"topic":"order.placed","payload":{"n":1}})";

class Serving : public testing::Test {
 public:
  void serve(ServerOptions options = {}) {
    options.is_open_on_loopback = true;
    open(std::move(options));
    server->start();
  }
  void open(ServerOptions options) {
    options.listen = "127.0.0.1:0";
    auto opened = Server::open(std::move(options), api_context,
                               {.metrics_text = [] { return "process_metric 1\n"; },
                                .not_ready =
                                    [this] {
                                      const std::scoped_lock lock(mutex);
                                      return reasons;
                                    },
                                .enqueued = [this](std::string_view) { enqueued.happen(); },
                                .accessed =
                                    [this](const Access& access) {
                                      const std::scoped_lock lock(mutex);
                                      accesses.emplace_back(access.path);
                                    }});
    MAKEGOOD_ASSERT(opened.has_value());
    server = std::move(*opened);
  }
  RawClient client() const { return RawClient(server->address()); }

  const api::ApiContext api_context{.store_url = "memory:", .outboxes = {"makegood_outbox"}};
  testing_support::Event enqueued;
  std::mutex mutex;
  std::vector<std::string> reasons;   // Guarded by mutex.
  std::vector<std::string> accesses;  // Guarded by mutex.
  std::unique_ptr<Server> server;
};

}  // namespace makegood::server

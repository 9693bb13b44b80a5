#include "cli/client_store.hpp"

#include <chrono>
#include <utility>

#include "api/jobs.hpp"
#include "config/options.hpp"
#include "daemon/api_context.hpp"

namespace makegood::cli {
namespace {

class StoreClient final : public Client {
 public:
  StoreClient(const Program& program, config::Config config, PayloadSchemas schemas)
      : Client(program),
        config_(std::move(config)),
        schemas_(std::move(schemas)),
        api_(daemon::api_context_of(config_, {.schemas = &schemas_,
                                              .jobs = &jobs_,
                                              .answer_wait = std::chrono::duration_cast<Duration>(program.wait),
                                              .version = program.version})) {}

  Result<std::string> outbox() override { return one_outbox(config_); }

  Result<> follow(const std::string& /*path*/, const std::string& /*query*/, const TakeLine& /*take*/) override {
    return Error{Errc::invalid, "Only a server tells what happens at this moment; name one with --server."};
  }
  bool is_server() const override { return false; }

 private:
  Result<api::Answer> answer(const api::Call& call) override { return api_.handle(call); }

  const config::Config config_;
  const PayloadSchemas schemas_;
  api::Jobs jobs_;  ///< So that a long replay can be followed here as well.
  api::Api api_;
};

}  // namespace

Result<std::unique_ptr<Client>> open_store_client(const Program& program) {
  config::Config config = MAKEGOOD_TRY(load_config(program));
  auto schemas = MAKEGOOD_TRY(config::payload_schemas(config));
  return std::unique_ptr<Client>(std::make_unique<StoreClient>(program, std::move(config), std::move(schemas)));
}

}  // namespace makegood::cli

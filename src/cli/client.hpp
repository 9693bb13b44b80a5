// How the verbs ask: each makes calls of the REST interface. On a server's URL they travel over HTTP; on a store's URL
// they are answered in this process. So there is one set of words, and one form of answers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/call.hpp"
#include "api/json_out.hpp"
#include "cli/program.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

class Client {
 public:
  /// A server, if the flags name one, or MAKEGOOD_SERVER does and no --store, --config or --set store.url wins over it;
  /// otherwise the store.
  static Result<std::unique_ptr<Client>> open(const Program& program);
  virtual ~Client() = default;

  /// The body of the answer. A problem becomes an Error with its code and its sentence.
  Result<std::string> get(const std::string& path, const std::string& query = {});
  Result<std::string> send(const std::string& method, const std::string& path, const std::string& body,
                           const std::string& query = {});
  /// The same below `/api/outboxes/NAME`, of the outbox that the flags name or of the only one: `/messages`.
  Result<std::string> get_of_outbox(const std::string& below, const std::string& query = {});
  Result<std::string> send_to_outbox(const std::string& method, const std::string& below, const std::string& body,
                                     const std::string& query = {});
  virtual Result<std::string> outbox() = 0;

  /// Hands on each line of a stream, until it ends or `take` says false. Only a server has streams.
  using TakeLine = std::function<bool(std::string_view)>;
  virtual Result<> follow(const std::string& path, const std::string& query, const TakeLine& take) = 0;
  virtual bool is_server() const = 0;

 protected:
  explicit Client(const Program& program) : operator_name_(program.operator_name) {}
  virtual Result<api::Answer> answer(const api::Call& call) = 0;

 private:
  Result<std::string> ask(api::Call call);
  std::string operator_name_;
};

/// Whether that is so, without opening anything.
bool names_server(const Program& program);
/// The Error that a problem tells of. `where`: what answered.
Error error_in(const api::Answer& answer, const std::string& where);

/// `put_members` writes what is in the object.
template <class PutMembers>
std::string body_of(PutMembers put_members) {
  return api::object_answer(200, put_members).body;
}
/// What was asked for and is not empty.
void put_if(api::Writer& writer, std::string_view name, const std::string& text);

}  // namespace makegood::cli

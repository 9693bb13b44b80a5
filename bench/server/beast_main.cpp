// makegood-bench-beast [STORE]: Boost.Beast as its own examples use it, one thread, the same answer to every request.
// With a store, after a row has been put there for it with the bare library of the database. What our server is
// compared with.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "bench/server/bare_log.hpp"

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Socket = net::basic_stream_socket<net::ip::tcp, net::io_context::executor_type>;
using boost::system::error_code;

constexpr std::size_t body_bytes_max = std::size_t{8} << 20;
/// As many bytes as the enqueue route answers.
const std::string body = R"({"sequence":1234567,"event_id":"018f2f4e-5b1c-7c3a-9d2e-0123456789ab","was_there":false})";

using makegood::bench::BareLog;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Socket socket, BareLog* log) : socket_(std::move(socket)), log_(log) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(body_bytes_max);
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](const error_code& error, std::size_t) {
      if (!error) self->take();
    });
  }

 private:
  void take() {
    if (log_ == nullptr) return answer();
    log_->store([self = shared_from_this()] { self->answer(); });
  }

  void answer() {
    response_ = {http::status::created, 11};
    response_.set(http::field::content_type, "application/json");
    response_.body() = body;
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](const error_code& error, std::size_t) {
      if (!error) self->read();
    });
  }

  Socket socket_;
  BareLog* const log_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

int main(int count, const char** arguments) {
  net::io_context io{1};
  std::optional<BareLog> log;
  if (count > 1) {
    log.emplace(arguments[1], [&io](std::vector<std::function<void()>> answers) {
      net::post(io, [answers = std::move(answers)] {
        for (const auto& answer : answers) answer();
      });
    });
  }
  net::ip::tcp::acceptor acceptor(io, {net::ip::make_address("127.0.0.1"), 0});
  acceptor.listen(4096);
  const std::function<void()> accept = [&] {
    acceptor.async_accept(io.get_executor(), [&](const error_code& error, Socket socket) {
      if (!error) {
        socket.set_option(net::ip::tcp::no_delay(true));
        std::make_shared<Session>(std::move(socket), log ? &*log : nullptr)->read();
      }
      accept();
    });
  };
  accept();
  fmt::print("http://127.0.0.1:{}\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  io.run();
}

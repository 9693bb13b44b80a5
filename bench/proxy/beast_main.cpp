// makegood-bench-beast-proxy PORT: a proxy as Boost.Beast's own examples would make it, one thread, and nothing but
// passing on. Each client has a connection to the upstream of its own, which is kept. What our proxy is compared with.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Socket = net::basic_stream_socket<net::ip::tcp, net::io_context::executor_type>;
using boost::system::error_code;

constexpr std::size_t body_bytes_max = std::size_t{8} << 20;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Socket client, net::io_context& io) : client_(std::move(client)), upstream_(io) {}

  void begin(std::uint16_t port) {
    const net::ip::tcp::endpoint place(net::ip::make_address("127.0.0.1"), port);
    upstream_.async_connect(place, [self = shared_from_this()](const error_code& error) {
      if (error) return;
      self->upstream_.set_option(net::ip::tcp::no_delay(true));
      self->read();
    });
  }

 private:
  template <class Step>
  auto then(Step step) {
    return [self = shared_from_this(), step](const error_code& error, std::size_t) {
      if (!error) step(*self);
    };
  }
  void read() {
    request_.emplace();
    request_->body_limit(body_bytes_max);
    http::async_read(client_, client_buffer_, *request_, then([](Session& self) { self.forward(); }));
  }
  void forward() {
    request_->get().erase(http::field::connection);
    http::async_write(upstream_, request_->get(), then([](Session& self) { self.await(); }));
  }
  void await() {
    response_.emplace();
    response_->body_limit(body_bytes_max);
    http::async_read(upstream_, upstream_buffer_, *response_, then([](Session& self) { self.answer(); }));
  }
  void answer() {
    http::async_write(client_, response_->get(), then([](Session& self) { self.read(); }));
  }

  Socket client_;
  Socket upstream_;
  boost::beast::flat_buffer client_buffer_;
  boost::beast::flat_buffer upstream_buffer_;
  std::optional<http::request_parser<http::string_body>> request_;
  std::optional<http::response_parser<http::string_body>> response_;
};

}  // namespace

int main(int count, const char** arguments) {
  if (count != 2) return 2;
  const auto port = static_cast<std::uint16_t>(std::strtoul(arguments[1], nullptr, 10));
  net::io_context io{1};
  net::ip::tcp::acceptor acceptor(io, {net::ip::make_address("127.0.0.1"), 0});
  acceptor.listen(4096);
  const std::function<void()> accept = [&] {
    acceptor.async_accept(io.get_executor(), [&](const error_code& error, Socket socket) {
      if (!error) {
        socket.set_option(net::ip::tcp::no_delay(true));
        std::make_shared<Session>(std::move(socket), io)->begin(port);
      }
      accept();
    });
  };
  accept();
  fmt::print("http://127.0.0.1:{}\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  io.run();
}

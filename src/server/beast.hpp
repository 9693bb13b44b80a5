// Boost.Beast and Asio, for the few files that know them.
#pragma once

#include <optional>
#include <utility>  // Asio 1.18 forgets it.

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace makegood::server {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Executor = net::io_context::executor_type;
/// Of TCP, or of this machine: a connection does not care.
using Stream = net::generic::stream_protocol;
using Socket = net::basic_stream_socket<Stream, Executor>;
using boost::system::error_code;

}  // namespace makegood::server

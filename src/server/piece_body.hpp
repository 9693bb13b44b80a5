// A body that is taken out of its parser piece by piece. It makes no room for what a header only promises.
#pragma once

#include <string>

#include "server/beast.hpp"

namespace makegood::server {

struct PieceBody {
  using value_type = std::string;  // NOLINT(readability-identifier-naming): Beast's names.
  class reader {                   // NOLINT(readability-identifier-naming)
   public:
    template <bool is_request, class Fields>
    reader(http::header<is_request, Fields>& /*header*/, value_type& body) : body_(body) {}
    static void init(const boost::optional<std::uint64_t>& /*length*/, error_code& error) { error = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      std::size_t count = 0;
      for (auto part = net::buffer_sequence_begin(buffers); part != net::buffer_sequence_end(buffers); ++part) {
        const net::const_buffer bytes = *part;
        body_.append(static_cast<const char*>(bytes.data()), bytes.size());
        count += bytes.size();
      }
      return count;
    }
    static void finish(error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

}  // namespace makegood::server

// A name server for tests, on 127.0.0.1 at a free port, over UDP and TCP. It says what it was told to say, well or
// badly.
//
//   DnsServer dns;
//   dns.script("good.example", {.addresses = {"127.0.0.1", "::1"}});
//   dns.script("rebinding.example", {{.addresses = {"8.8.8.8"}, .ttl_seconds = 0}, {.addresses = {"127.0.0.1"}}});
//   HttpOptions options{.dns_servers = {dns.server()}};
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace makegood::testing_support {

struct DnsReply {
  enum class Manner : std::uint8_t {
    answer,          ///< The addresses; none at all is an empty answer (the name exists, but has no address).
    no_such_name,    ///< NXDOMAIN.
    server_failure,  ///< SERVFAIL.
    silent,          ///< No answer, ever.
    silent_on_v6,    ///< An answer to the question for A, none to the one for AAAA.
    garbled,         ///< The right id, then bytes that are no answer.
  };

  /// IPv4 and IPv6 as text, in this order; a question for A gets the former, one for AAAA the latter. What does not fit
  /// into a datagram (512 bytes, about 25 addresses) is truncated there and whole over TCP: 1,000 are fine.
  std::vector<std::string> addresses = {};
  std::uint32_t ttl_seconds = 60;
  Manner manner = Manner::answer;
  std::chrono::milliseconds delay{0};  ///< Before the answer is sent. Other questions are answered meanwhile.
};

/// Any thread may call anything. Names are compared without regard to case. A name without a script does not exist
/// (NXDOMAIN).
class DnsServer {
 public:
  DnsServer();
  ~DnsServer();
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  /// `127.0.0.1:<port>`, as for HttpOptions::dns_servers.
  std::string server() const;

  /// What is said about a name from now on, always.
  void script(const std::string& name, DnsReply reply);
  /// One after the other, the last one for ever: the n-th look-up of the name gets the n-th reply. A and AAAA are
  /// counted apart, so both questions of one look-up get the same reply; so does a question that is repeated (lost, or
  /// over TCP because it was truncated).
  void script(const std::string& name, std::vector<DnsReply> replies);

  /// How many look-ups of a name have arrived (the questions for A; repeated ones count once).
  std::size_t look_ups(const std::string& name) const;
  /// True when there have been at least so many.
  bool await_look_ups(const std::string& name, std::size_t count,
                      std::chrono::milliseconds limit = std::chrono::seconds(20)) const;
  /// How many questions have come over TCP.
  std::size_t tcp_questions() const;

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

}  // namespace makegood::testing_support

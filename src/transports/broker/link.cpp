#include "transports/broker/link.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace makegood::broker {
namespace {

/// So much is handed to the connection in advance. What is in there cannot be called back without losing the
/// connection.
constexpr std::size_t outgoing_bytes_max = std::size_t{256} << 10;
/// Of one name within one attempt. A name may have a thousand.
constexpr std::size_t addresses_tried_max = 3;
constexpr Duration rest_min = std::chrono::milliseconds(100);
constexpr Duration rest_max = std::chrono::seconds(2);
/// How late somebody who waits may learn that it came to nothing.
constexpr Duration expiry_interval = std::chrono::milliseconds(10);
constexpr Duration idle_max = std::chrono::minutes(1);

}  // namespace

std::string code_text(Errc code) { return std::string(to_string(code)); }

Reply refused_here(const Error& error) {
  const bool can_be_mended = error.code == Errc::config_invalid || is_retryable(error.code);
  return can_be_mended ? Reply::unreachable(code_text(error.code), error.message)
                       : Reply::unsendable(code_text(error.code), error.message);
}

Link::~Link() { close(); }

std::string Link::about(std::string_view sentence) const { return fmt::format("{}: {}", shown(server()), sentence); }

void Link::complete(const Sending& sending, Reply reply) {
  world_.outgoing.add(*sending.done, {.ticket = sending.delivery.ticket, .reply = std::move(reply)});
}

void Link::take(Channel& channel, Sending sending, MonotonicTime now) {
  now_ = used_at_ = now;
  if (refusal_ && now < rests_until_) return complete(sending, *refusal_);
  if (state_ == State::open && !protocol_->blocked_because().empty()) {
    return complete(sending, Reply::unreachable(code_text(Errc::unavailable), about(protocol_->blocked_because())));
  }
  if (channel.waiting.empty()) line_.push_back(&channel);
  channel.waiting.push_back(std::move(sending));
}

void Link::go_on(MonotonicTime now) {
  now_ = now;
  expire();
  if (state_ == State::closed && !line_.empty()) open(now);
  const bool is_being_made = state_ != State::closed && state_ != State::open;
  if (is_being_made && now >= open_by_) failed({Errc::unavailable, "It did not answer in time."});
  if (state_ == State::open) publish_waiting();
  if (state_ == State::open && is_idle() && now - used_at_ >= idle_max) close();
}

std::optional<Duration> Link::next_timeout(MonotonicTime now) const {
  if (!line_.empty()) return expiry_interval;
  if (!deadlines_.empty()) return std::max(deadlines_.begin()->first - now, Duration::zero());
  if (state_ == State::closed) return std::nullopt;
  return std::max((state_ == State::open ? used_at_ + idle_max : open_by_) - now, Duration::zero());
}

// Making a connection
// --------------------------------------------------------------------------------------------------------------------

void Link::open(MonotonicTime now) {
  open_by_ = now + world_.options.network.connect_timeout;
  if (auto prepared = prepare(); !prepared) return failed(prepared.error());
  state_ = State::resolving;
  world_.resolver.resolve(server().host, world_.options.network.connect_timeout,
                          [this](const auto& addresses) { resolved(addresses); });
}

Result<> Link::prepare() {
  if (server().is_tls) tls_ = MAKEGOOD_TRY(new_tls_context(access_));
  Credentials credentials;
  for (const auto& [name, reference] : access_.secrets) {
    const net::Secret secret = MAKEGOOD_TRY(world_.secrets.read(reference, access_.places));
    credentials.emplace(name, secret.reveal());
  }
  protocol_ = world_.dialect.converse(access_, std::move(credentials));
  return {};
}

void Link::resolved(const Result<std::vector<net::Address>>& addresses) {
  if (state_ != State::resolving) return;
  if (!addresses) return failed(addresses.error());
  // It may be a mistake or an attack; once the name leads elsewhere again, deliveries go on.
  if (auto allowed = world_.guard.check(*addresses, access_.trust); !allowed) {
    return failed({Errc::unavailable, allowed.error().message});
  }
  addresses_.assign(addresses->begin(),
                    addresses->begin() + static_cast<std::ptrdiff_t>(std::min(addresses->size(), addresses_tried_max)));
  connect_next();
}

void Link::connect_next() {
  const net::Address address = addresses_.front();
  addresses_.erase(addresses_.begin());
  auto stream = Stream::connect(address, server().port);
  if (!stream) return failed(stream.error());
  stream_.emplace(*std::move(stream));
  state_ = State::connecting;
  watch();
}

void Link::connected() {
  if (auto is_there = stream_->connected(); !is_there) return failed(is_there.error());
  addresses_.clear();
  state_ = State::greeting;
  protocol_->begin();
  if (server().is_tls && protocol_->wants_tls()) {
    if (auto started = start_tls(); !started) return failed(started.error());
    return secure();
  }
  flush();
}

Result<> Link::start_tls() {
  state_ = State::securing;
  return stream_->start_tls(*tls_, server().host);
}

void Link::secure() {
  const auto is_done = stream_->shake_hands();
  if (!is_done) return failed(is_done.error());
  if (*is_done) {
    tls_.reset();
    state_ = State::greeting;
    return flush();
  }
  watch();
}

/// After something was received: TLS may have to begin, or the greeting may be over.
void Link::greet() {
  if (tls_ != nullptr && protocol_->wants_tls()) {
    if (auto started = start_tls(); !started) return failed(started.error());
    return secure();
  }
  if (!protocol_->is_ready()) return;
  state_ = State::open;
  servers_failed_ = 0;
  rest_ = {};
  refusal_.reset();
}

/// The next address, the next server, or a rest.
void Link::failed(const Error& error) {
  const bool may_go_on = now_ < open_by_ && !addresses_.empty() && state_ == State::connecting;
  if (may_go_on) {
    if (stream_) world_.poller.forget(stream_->descriptor());
    stream_.reset();
    return connect_next();
  }
  Reply refusal = Reply::unreachable(code_text(error.code), about(error.message));
  close();
  server_index_ = (server_index_ + 1) % access_.servers.size();
  if (++servers_failed_ < access_.servers.size()) return;  // The next round tries the next one.
  servers_failed_ = 0;
  rest_ = std::clamp(rest_ * 2, rest_min, rest_max);
  rests_until_ = now_ + rest_;
  refuse_waiting(refusal);
  refusal_ = std::move(refusal);
}

// Using it
// --------------------------------------------------------------------------------------------------------------------

void Link::ready(const net::Ready& ready, MonotonicTime now) {
  now_ = now;
  if (state_ == State::connecting) return connected();
  if (state_ == State::securing) return secure();
  if (ready.interest.read) receive();
  if (stream_ && ready.interest.write) flush();
}

void Link::receive() {
  auto is_read = stream_->read(incoming_);
  const auto consumed = protocol_->receive(incoming_);
  if (consumed) incoming_.erase(0, *consumed);
  settle_answers();
  if (!consumed || !is_read) {
    const Error& why = consumed ? is_read.error() : consumed.error();
    return state_ == State::open ? lost(why) : failed(why);
  }
  if (state_ == State::greeting) greet();
  if (!protocol_ || state_ == State::securing) return;
  if (!protocol_->blocked_because().empty()) {
    refuse_waiting(Reply::unreachable(code_text(Errc::unavailable), about(protocol_->blocked_because())));
  }
  flush();
}

void Link::publish_waiting() {
  bool has_published = false;
  for (std::size_t refused_in_a_row = 0; refused_in_a_row < line_.size();) {
    if (protocol_->outgoing().size() >= outgoing_bytes_max) break;
    Channel& channel = *line_.front();
    line_.pop_front();
    const bool has_place = channel.under_way < channel.under_way_max;
    if (has_place) has_published |= publish_one(channel);
    refused_in_a_row = has_place ? 0 : refused_in_a_row + 1;
    if (!channel.waiting.empty()) line_.push_back(&channel);
  }
  if (!has_published) return;
  protocol_->end_round();
  flush();
}

bool Link::publish_one(Channel& channel) {
  Sending sending = std::move(channel.waiting.front());
  channel.waiting.pop_front();
  if (!sending.delivery.may_leave()) return complete(sending, Reply::withheld()), false;
  const Token token = next_token_++;
  const std::uint64_t begin = written_ + protocol_->outgoing().size();
  if (auto reply = protocol_->publish(token, sending.delivery, **channel.target)) {
    return complete(sending, *std::move(reply)), false;
  }
  ++channel.under_way;
  deadlines_.emplace(sending.deadline, token);
  const std::uint64_t end = written_ + protocol_->outgoing().size();
  under_way_.emplace(token, UnderWay{.sending = std::move(sending), .channel = &channel, .begin = begin, .end = end});
  return true;
}

/// One of which a part has left is whole only with its last byte: without that nobody stores it.
bool Link::may_all_leave() const {
  return std::ranges::all_of(under_way_, [this](const auto& entry) {
    return entry.second.end <= written_ || entry.second.sending.delivery.may_leave();
  });
}

void Link::flush() {
  std::string& outgoing = protocol_->outgoing();
  std::size_t done = 0;
  while (done < outgoing.size()) {
    const auto count = stream_->write(std::string_view(outgoing).substr(done));
    if (!count) {
      outgoing.erase(0, done);
      return state_ == State::open ? lost(count.error()) : failed(count.error());
    }
    if (*count == 0) break;
    done += *count;
    written_ += *count;
  }
  outgoing.erase(0, done);
  watch();
}

void Link::settle(Token token, Reply reply) {
  const auto found = under_way_.find(token);
  if (found == under_way_.end()) return;  // Its time was over before, or its lane has ended.
  --found->second.channel->under_way;
  deadlines_.erase({found->second.sending.deadline, token});
  complete(found->second.sending, std::move(reply));
  under_way_.erase(found);
}

void Link::settle_answers() {
  for (Answer& answer : protocol_->take_answers()) settle(answer.token, std::move(answer.reply));
}

void Link::expire() {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now_) {
    const Token token = deadlines_.begin()->second;
    const bool has_begun = under_way_.at(token).begin < written_;
    protocol_->forget(token);
    settle(token, has_begun
                      ? Reply::silent(code_text(Errc::timeout), about("No answer in time; it may have been stored."))
                      : Reply::unreachable(code_text(Errc::unavailable), about("It takes nothing; nothing was sent.")));
  }
  for (Channel* channel : line_) {
    auto& waiting = channel->waiting;
    for (; !waiting.empty() && waiting.front().deadline <= now_; waiting.pop_front()) {
      complete(waiting.front(),
               Reply::unreachable(code_text(Errc::unavailable), about("It could not be sent in time.")));
    }
  }
  std::erase_if(line_, [](const Channel* channel) { return channel->waiting.empty(); });
  // A frozen process wakes up here: what it had left to write may be somebody else's by now.
  if (stream_ && state_ == State::open && !protocol_->outgoing().empty() && !may_all_leave()) {
    lost({Errc::unavailable, "The lease was over before all was sent."});
  }
}

// Losing it
// --------------------------------------------------------------------------------------------------------------------

void Link::lost(const Error& error) {
  const std::string why = about(error.message);
  while (!under_way_.empty()) {
    const auto& [token, publication] = *under_way_.begin();
    const bool has_begun = publication.begin < written_;
    Reply not_sent = publication.sending.delivery.may_leave()
                         ? Reply::unreachable(code_text(Errc::unavailable), why + " It was not sent.")
                         : Reply::withheld();
    settle(token, has_begun ? Reply::silent(code_text(Errc::unavailable), why + " It may have been stored.")
                            : std::move(not_sent));
  }
  server_index_ = (server_index_ + 1) % access_.servers.size();
  close();
}

void Link::close() {
  if (stream_) world_.poller.forget(stream_->descriptor());
  stream_.reset();
  protocol_.reset();
  tls_.reset();
  incoming_.clear();
  written_ = 0;
  addresses_.clear();
  state_ = State::closed;
}

void Link::refuse_waiting(const Reply& reply) {
  for (Channel* channel : line_) {
    for (const Sending& sending : channel->waiting) complete(sending, reply);
    channel->waiting.clear();
  }
  line_.clear();
}

void Link::watch() {
  world_.poller.watch(stream_->descriptor(), net::Watcher::client,
                      stream_->interest(state_ != State::securing && !protocol_->outgoing().empty()));
}

// The end of a lane
// --------------------------------------------------------------------------------------------------------------------

void Link::stop_starting(const Completions& done) {
  for (Channel* channel : line_) {
    std::erase_if(channel->waiting, [&](const Sending& sending) { return sending.done == &done; });
  }
  std::erase_if(line_, [](const Channel* channel) { return channel->waiting.empty(); });
}

bool Link::has_under_way(const Completions& done) const {
  return std::ranges::any_of(under_way_, [&](const auto& entry) { return entry.second.sending.done == &done; });
}

/// What has not been handed to the network must not leave later: then the connection ends for all.
void Link::give_up(const Completions& done) {
  bool has_left_over = false;
  for (auto entry = under_way_.begin(); entry != under_way_.end();) {
    UnderWay& publication = entry->second;
    if (publication.sending.done != &done) {
      ++entry;
      continue;
    }
    has_left_over |= publication.begin >= written_;
    --publication.channel->under_way;
    deadlines_.erase({publication.sending.deadline, entry->first});
    protocol_->forget(entry->first);
    entry = under_way_.erase(entry);
  }
  if (has_left_over) lost({Errc::unavailable, "A lane has ended with messages that were not sent."});
}

}  // namespace makegood::broker

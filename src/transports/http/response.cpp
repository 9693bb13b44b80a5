#include "transports/http/response.hpp"

#include "transports/http/header_rules.hpp"

namespace makegood::http {
namespace {

constexpr std::string_view retry_after_name = "retry-after:";
constexpr std::size_t retry_after_bytes_max = 128;

bool is_retry_after(std::string_view line) {
  return line.size() > retry_after_name.size() &&
         is_same_header(line.substr(0, retry_after_name.size()), retry_after_name);
}

std::string_view without_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  return line;
}

std::string_view retry_after_value(std::string_view line) {
  return without_end(line.substr(retry_after_name.size())).substr(0, retry_after_bytes_max);
}

}  // namespace

void Response::clear(std::size_t kept_bytes_max) {
  kept_bytes_max_ = kept_bytes_max;
  content_ = kept_bytes_max > 0 ? std::make_shared<Reply::Content>() : nullptr;
  header_bytes_ = 0;
  body_bytes_ = 0;
  has_final_begun_ = false;
  status_ = 0;
  retry_after_.clear();
}

bool Response::take_header(std::string_view line, int status) {
  header_bytes_ += line.size();
  if (header_bytes_ > header_bytes_max) return false;
  if (is_answered()) return true;  // Trailers.
  if (line.starts_with("HTTP/")) retry_after_.clear();
  if (is_retry_after(line)) retry_after_ = retry_after_value(line);
  if (status < first_final_status) return true;
  has_final_begun_ = true;
  keep_header(line);
  if (line == "\r\n" || line == "\n") status_ = status;
  return true;
}

void Response::keep_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (content_ == nullptr || colon == std::string_view::npos || line.starts_with("HTTP/")) return;
  content_->headers.emplace_back(trimmed(line.substr(0, colon)), trimmed(without_end(line.substr(colon + 1))));
}

bool Response::take_body(std::string_view bytes) {
  body_bytes_ += bytes.size();
  if (content_ != nullptr) {
    const std::string_view kept = bytes.substr(0, kept_bytes_max_ - content_->body.size());
    content_->body += kept;
    content_->is_cut = content_->is_cut || kept.size() < bytes.size();
  }
  return body_bytes_ <= body_bytes_max_;
}

}  // namespace makegood::http

// Stored answers under lock and key: AES-256-GCM. Whoever reads the database learns their status and their length.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/idempotency.hpp"
#include "makegood/result.hpp"

namespace makegood::proxy {

class Seal {
 public:
  /// Lines `ID KEY` with 64 hexadecimal digits each. The first one seals, all of them open: a new key goes on top, and
  /// an old one may go when the answers under it have expired. Errc::config_invalid.
  static Result<Seal> parse(std::string_view text, const std::string& file);

  /// An answer that is longer than this when it is sealed is sealed without its body. It opens only for this key.
  Result<StoredResult> close(StoredResult result, const IdempotencyKey& key, std::size_t bytes_max) const;
  /// Errc::store_corrupt: it was changed, or its key is not known here. What was not sealed stays as it is.
  Result<StoredResult> open(StoredResult result, const IdempotencyKey& key) const;

 private:
  struct Key {
    std::string id;
    std::string bytes;
  };
  std::vector<Key> keys_;
};

}  // namespace makegood::proxy

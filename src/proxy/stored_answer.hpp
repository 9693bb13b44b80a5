// An answer as it is kept with its key, and as it is given again.
#pragma once

#include "proxy/heads.hpp"

namespace makegood::proxy {

/// Without cookies and dates, and without what belongs to a connection.
StoredResult stored_answer(const AnswerHead& head, std::string body);
/// Of one whose body was too long to be read whole.
StoredResult truncated_answer(const AnswerHead& head);

struct WholeAnswer {
  int status = 0;
  std::string reason = {};
  Headers headers = {};
  std::string body = {};
};
/// Says that it is a replay, and whether its body is missing. A digest alone, an operator's word for example, has no
/// answer to give: 200 with that digest.
WholeAnswer replay_of(const StoredResult& stored);

}  // namespace makegood::proxy

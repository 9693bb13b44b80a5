// What calls that begin a job have in common.
#pragma once

#include "api/jobs.hpp"
#include "api/operation.hpp"

namespace makegood::api {

void put_job(Writer& writer, const JobView& job);
void put_count(Writer& writer, const std::size_t& count);
/// `rate_per_second` and `limit`.
BulkPace pace_in(Fields& body);
Result<Answer> begin_job(const RoutedCall& routed, JobWish wish);

}  // namespace makegood::api

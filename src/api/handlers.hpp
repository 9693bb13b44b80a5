// The handlers of all routes, by the file that has them.
#pragma once

#include "api/route_table.hpp"

namespace makegood::api {

// status.cpp
Result<Answer> show_status(const Question& question);
Result<Answer> list_outboxes(const Question& question);
// outboxes.cpp
Result<Answer> show_outbox(const Question& question);
Result<Answer> list_sides(const Question& question);
Result<Answer> list_blocked(const Question& question);
// enqueue.cpp
Result<Answer> enqueue(const Question& question);
// messages.cpp
Result<Answer> list_messages(const Question& question);
Result<Answer> show_message(const Question& question);
// requests.cpp
Result<Answer> list_requests(const Question& question);
Result<Answer> show_request(const Question& question);
// lanes.cpp
Result<Answer> unblock(const Question& question);
Result<Answer> pause(const Question& question);
Result<Answer> resume(const Question& question);
Result<Answer> replay_history(const Question& question);
Result<Answer> cancel_history(const Question& question);
Result<Answer> rewind(const Question& question);
// destinations.cpp
Result<Answer> list_destinations(const Question& question);
Result<Answer> show_destination(const Question& question);
Result<Answer> put_destination(const Question& question);
Result<Answer> remove_destination(const Question& question);
Result<Answer> enable_destination(const Question& question);
Result<Answer> disable_destination(const Question& question);
// destination_test.cpp
Result<Answer> test_destination(const Question& question);
// routes.cpp
Result<Answer> show_routes(const Question& question);
Result<Answer> put_routes(const Question& question);
// apply.cpp
Result<Answer> apply_document(const Question& question);
// dead.cpp
Result<Answer> list_dead(const Question& question);
Result<Answer> group_dead(const Question& question);
Result<Answer> show_dead(const Question& question);
Result<Answer> replay_one(const Question& question);
Result<Answer> quarantine(const Question& question);
Result<Answer> release(const Question& question);
Result<Answer> annotate(const Question& question);
// replays.cpp
Result<Answer> replay_by_filter(const Question& question);
Result<Answer> list_jobs(const Question& question);
Result<Answer> show_job(const Question& question);
Result<Answer> cancel_job(const Question& question);

}  // namespace makegood::api

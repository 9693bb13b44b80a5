// One life of a process that carries out sagas: tables are made, a definition is put, transfers of all moods are
// started in transactions of the caller's own, one of which is rolled back; banks answer, call back, or do not; an
// operator calls one off and settles what waits for him. Whoever lives after a crash lives the same story on what is
// left.
#pragma once

#include "tests/crash/database.hpp"
#include "tests/crash/story.hpp"

namespace makegood::crash {

Ending live_with_sagas(const Place& place, const Life& life);
/// The same, and the store's clock is set by an hour while transfers are under way.
Ending live_with_a_clock_set_forward(const Place& place, const Life& life);
Ending live_with_a_clock_set_back(const Place& place, const Life& life);
/// When everything has come to rest: each transfer that was committed has ended with all of its effects or with none,
/// as its mood allows, and has told so once; no money was made or lost.
Violations audit_sagas(const Place& place);

}  // namespace makegood::crash

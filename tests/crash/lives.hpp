// Lives of the story in processes of their own, each cut short in its own way, one after the other on the same files.
#pragma once

#include <random>

#include "tests/crash/failpoints.hpp"
#include "tests/crash/faulty_vfs.hpp"
#include "tests/crash/place.hpp"
#include "tests/crash/tale.hpp"

namespace makegood::crash {

/// What happens to a life.
struct Fate {
  Blow blow = {};
  Faults faults = {};
};

/// How its process ended: as Child::wait says.
int run_life(const Tale& tale, const Place& place, const Life& life, const Fate& fate = {});

/// All chance of this run, from MAKEGOOD_CRASH_SEED or drawn; it is told when a test fails.
unsigned seed();
/// Every cell and every call, instead of a choice by the seed: MAKEGOOD_CRASH_LONG.
bool is_long_form();

}  // namespace makegood::crash

// makegood-bench-sink [ADDRESSES]: prints its port and serves until it is killed, or its parent has ended.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "bench/sink/server.hpp"

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  makegood::bench::Server server(argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 1);
  fmt::print("{}\n", server.port());
  std::fflush(stdout);
  while (true) server.serve_once();
}

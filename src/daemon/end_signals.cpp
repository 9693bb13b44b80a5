#include "daemon/end_signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace makegood::daemon {

Result<EndSignals> EndSignals::open() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGINT);
  if (::getpid() == 1) sigaddset(&wanted, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // A reader that has gone is no reason to end.
  EndSignals signals;
  signals.signals_ = Descriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.signals_) return Error{Errc::internal, "The signals cannot be waited for."};
  return signals;
}

int EndSignals::take() {
  signalfd_siginfo info{};
  int end = 0;
  while (::read(signals_.number(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo != SIGCHLD) {
      end = static_cast<int>(info.ssi_signo);
      continue;
    }
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  return end;
}

}  // namespace makegood::daemon

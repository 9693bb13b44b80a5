// Named points before, inside and after each durable step, at which a process can be made to die or to freeze.
//
// Production code knows nothing of them: the points outside of a transaction are passed by decorators of the store and
// the transport (watched_store.hpp, watched_transport.hpp) and by the shop; those inside come from the statements that
// the process runs (statement_points.hpp), on every connection that it opens.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "tests/crash/chronicle.hpp"

namespace makegood::crash {

/// A name that stands for each call of the server.
inline constexpr std::string_view any_call = "call.unanswered";

/// On which stores a story comes by. What a server is asked to do in one go has no points in between.
enum class Where { anywhere, file, server, nowhere };

struct Failpoint {
  std::string_view name;
  Where messages = Where::anywhere;  ///< In the story of messages.
  Where sagas = messages;            ///< In the story of sagas.
};

/// The whole list. A point that no story passes fails the test.
inline constexpr std::array failpoints = std::to_array<Failpoint>({
    // The tables are made.
    {"migrate.before"},
    {"migrate.begun"},                  // The write lock is held.
    {"migrate.half_way", Where::file},  // Some of the tables are there.
    {"migrate.recorded"},               // All of them, and the record of the migration.
    {"migrate.committing"},             // COMMIT was called; nothing of it is in the file.
    {"migrate.committed"},              // The commit is in the file; nobody was told.
    {"migrate.after"},
    // A producer's own transaction.
    {"enqueue.before"},
    {"enqueue.begun"},
    {"enqueue.ordered"},   // The business row is there, the message is not.
    {"enqueue.inserted"},  // Both are.
    {"enqueue.committing"},
    {"enqueue.committed"},
    {"enqueue.after"},
    // The lane is taken.
    {"take.before"},
    {"take.begun"},
    {"take.appended"},  // The taking turn is written.
    {"take.committing"},
    {"take.committed"},
    {"take.after"},
    // What rows of a saga's log speak of.
    {"load.before", Where::nowhere, Where::anywhere},
    {"load.after", Where::nowhere, Where::anywhere},
    // A version of a definition is put.
    {"define.before", Where::nowhere, Where::anywhere},
    {"define.committing", Where::nowhere, Where::anywhere},
    {"define.after", Where::nowhere, Where::anywhere},
    // A participant calls back, or an operator asks for something.
    {"ask.before", Where::nowhere, Where::anywhere},
    {"ask.committing", Where::nowhere, Where::file},
    {"ask.after", Where::nowhere, Where::anywhere},
    // One snapshot.
    {"look.before"},
    {"look.begun", Where::file},
    {"look.read", Where::file},
    {"look.after"},
    // A turn.
    {"commit.before"},
    {"commit.begun", Where::file},
    {"commit.appended", Where::anywhere, Where::file},  // The turn is written, what it changes is not.
    {"commit.parked", Where::file},                     // An exception has got its row.
    {"commit.journaled", Where::nowhere, Where::file},  // What an execution is about to do is written.
    {"commit.ended", Where::nowhere, Where::file},      // That it has ended is.
    {"commit.told", Where::nowhere, Where::file},       // So is the message that tells of it.
    {"commit.committing"},
    {"commit.committed"},
    {"commit.after"},
    // A delivery.
    {"send.before"},
    {"send.handed_over"},
    {"send.arriving"},  // The handler runs and has done nothing.
    {"send.arrived"},   // It took effect; nobody was told.
    {"send.answered"},
    // An operator asks for a replay, and the owner carries it out.
    {"replay.before", Where::anywhere, Where::nowhere},
    {"replay.committing", Where::anywhere, Where::nowhere},
    {"replay.after", Where::anywhere, Where::nowhere},
    {"replay.answered", Where::file, Where::nowhere},  // Inside the turn that carries it out.
    // The cleaner's part of a turn.
    {"prune.before", Where::anywhere, Where::nowhere},
    {"prune.kept", Where::file, Where::nowhere},             // Messages that are still needed have been copied.
    {"prune.log_deleted", Where::anywhere, Where::nowhere},  // Rows are gone from the log.
    {"prune.turns_deleted", Where::file, Where::nowhere},    // Old turns are gone.
    {"prune.after", Where::anywhere, Where::nowhere},        // The turn is committed.
    // The last turn of an orderly end.
    {"give_up.before"},
    {"give_up.committing"},
    {"give_up.after"},
    // Everything was sent to the server, its answer was not read: the server does what it was told.
    {"enqueue.unanswered", Where::server},
    {"take.unanswered", Where::server},
    {"look.unanswered", Where::server},
    {"commit.unanswered", Where::server},
    {"replay.unanswered", Where::server, Where::nowhere},
    {"give_up.unanswered", Where::server},
    {"load.unanswered", Where::nowhere, Where::server},
    {"define.unanswered", Where::nowhere, Where::server},
    {"ask.unanswered", Where::nowhere, Where::server},
    {any_call, Where::server},  // Whichever step it belongs to.
});

enum class Way {
  exit,    ///< _exit: no destructor, no flush.
  kill,    ///< SIGKILL.
  freeze,  ///< SIGSTOP: it may go on later.
};

struct Blow {
  std::string point = {};  ///< Empty: none.
  unsigned hit = 1;        ///< The how-manieth time the point is passed.
  Way way = Way::kill;
};

/// What a process that ended by Way::exit returns.
inline constexpr int exit_at_failpoint = 77;

bool is_failpoint(std::string_view point);

/// In this process, from now on: the blow falls when its point is passed. Connections opened later are watched.
void arm(const Blow& blow);
/// A point of the list is passed. Thread-safe. `last_deed` is done when the blow falls, right before it.
void pass(std::string_view point, const std::function<void()>& last_deed = {});
/// Writes `hit NAME COUNT` for each point that was passed.
void note_hits(const Chronicle& chronicle);

}  // namespace makegood::crash

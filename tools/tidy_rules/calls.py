"""Calls that are not made, or only in one place."""

from dataclasses import dataclass

from .tree import Finding, code_only, find, is_cpp

OURS = ("include/", "src/", "sim/")
BELOW_ENGINE = ("src/base/", "src/core/", "src/stores/", "src/transports/", "sim/")
# A default for those who have no clock of their own, where a store is opened.
DEFAULTS = ("src/stores/memory/memory.hpp", "src/stores/sqlite/sqlite.hpp", "src/stores/postgres/postgres.hpp")
# A producer calls these from a program of its own, which has no clock of ours to hand in.
CALLED_BY_PRODUCERS = ("src/stores/sqlite/enqueue", "src/stores/postgres/enqueue",
                       "src/stores/sqlite/keys_in_transaction", "src/stores/postgres/keys_in_transaction",
                       "src/stores/sql/saga_start")
# Those who wait for the kernel, or for libcurl's timers: base/real_time.hpp.
WAITS = ("src/base/real_time", "src/base/clock", "src/config/watch", "src/stores/postgres/session",
         "src/stores/sqlite/connection", "src/transports/http/client", "src/transports/net/event_loop",
         "src/transports/broker/carrier", "src/transports/kafka/channel",
         "src/transports/kafka/transport", "src/transports/broker/transport",
         "src/transports/http/multi", "src/transports/http/transport", "src/transports/local/pool")


@dataclass(frozen=True)
class Ban:
    pattern: str
    reason: str
    where: tuple = ("",)
    except_in: tuple = ()


BANS = [
    Ban(r"(?<![\w.>])system\s*\(", "start a program with posix_spawn, without a shell"),
    Ban(r"(?<![\w.>])s?rand\s*\(", "chance is an argument, or an engine of <random>"),
    Ban(r"\b(?:strcpy|strcat|sprintf|vsprintf|gets)\s*\(", "it writes without a bound"),
    Ban(r"(?:\.|->)detach\s*\(", "a thread is joined; only the pool of handlers may give one up",
        except_in=("src/transports/local",)),
    Ban(r"\brandom_device\b", "chance is an argument here", where=OURS, except_in=("src/base/seed.cpp",)),
    Ban(r"::now\s*\(", "time is an argument below the engine", where=BELOW_ENGINE, except_in=("src/base/clock.cpp",)),
    Ban(r"\b(?:clock_gettime|gettimeofday|time)\s*\(\s*(?:CLOCK|&|NULL|nullptr)",
        "time is an argument below the engine", where=BELOW_ENGINE, except_in=("src/base/clock.cpp",)),
    Ban(r"\b(?:system_clock|process_ids)\(\)", "the clock and the source of ids are arguments below the engine",
        where=BELOW_ENGINE,
        except_in=("src/base/clock.cpp", "src/base/id.cpp", "sim/main.cpp", *DEFAULTS, *CALLED_BY_PRODUCERS)),
    Ban(r"(?<![\w.>])new_(?:ulid|uuid7)\s*\(", "the source of ids is an argument below the engine",
        where=BELOW_ENGINE, except_in=("src/base/id.cpp",)),
    Ban(r"\breal_now\s*\(", "only those who wait for the kernel go by its clock", where=("src/", "include/", "sim/"),
        except_in=WAITS),
    Ban(r"\bthis_thread::sleep|\b(?:u|nano)?sleep\s*\(", "core never waits", where=("src/core/",)),
]


def calls(tree):
    findings = []
    for path, text in tree.items():
        if not is_cpp(path):
            continue
        code = code_only(text)
        for ban in BANS:
            if not path.startswith(ban.where) or (ban.except_in and path.startswith(ban.except_in)):
                continue
            for line, match in find(ban.pattern, code):
                findings.append(Finding(path, line, "calls", f"no {match.group().strip(' .>(-:')} here: {ban.reason}"))
    return findings
